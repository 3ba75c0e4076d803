import HTTPFields

/// An IPv4 or IPv6 address.
public enum IPAddress: Hashable, Sendable {
    /// In host byte order: 127.0.0.1 is `0x7F000001`.
    case v4(UInt32)
    /// In host byte order: ::1 is `1`.
    case v6(UInt128)

    /// Creates an address from 4 or 16 bytes in network byte order. Returns nil for any other number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16: self = .v6(bytes.reduce(0) { $0 << 8 | UInt128($1) })
        default: return nil
        }
    }

    /// The width of an address of this family in bits.
    var bitWidth: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }
}

extension IPAddress {
    /// Parses the usual text form: four decimal numbers, or hexadecimal groups (RFC 4291, 2.2), possibly with an IPv4
    /// address at the end.
    ///
    /// Other forms that some resolvers accept (`127.1`, `0x7f000001`, octal numbers, a zone such as `%eth0`) return
    /// nil. To validate a destination, validate the socket address, not a text.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        if bytes.contains(UInt8(ascii: ":")) {
            guard let value = Self.parseV6(bytes[...]) else { return nil }
            self = .v6(value)
        } else {
            guard let value = Self.parseV4(bytes[...]) else { return nil }
            self = .v4(value)
        }
    }

    /// Parses a literal address as the host of a URL. An IPv6 address must have brackets (RFC 3986, 3.2.2).
    public init?(urlHost: String) {
        if urlHost.hasPrefix("["), urlHost.hasSuffix("]") {
            guard case .v6(let value)? = IPAddress(String(urlHost.dropFirst().dropLast())) else { return nil }
            self = .v6(value)
        } else {
            guard case .v4(let value)? = IPAddress(urlHost) else { return nil }
            self = .v4(value)
        }
    }

    private static func parseV4(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            // A leading zero is refused, because some parsers read it as octal.
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            guard part.allSatisfy(\.isASCIIDigit) else { return nil }
            let number = part.reduce(0) { $0 * 10 + UInt32($1 - UInt8(ascii: "0")) }
            guard number <= 255 else { return nil }
            value = value << 8 | number
        }
        return value
    }

    private static func parseV6(_ bytes: ArraySlice<UInt8>) -> UInt128? {
        guard let gap = firstGap(in: bytes) else {
            guard let groups = parseGroups(bytes), groups.count == 8 else { return nil }
            return join(groups)
        }
        guard let head = parseGroups(bytes[..<gap]), let tail = parseGroups(bytes[(gap + 2)...]) else { return nil }
        // An IPv4 address is allowed only at the end.
        guard !bytes[..<gap].contains(UInt8(ascii: ".")), head.count + tail.count <= 7 else { return nil }
        return join(head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail)
    }

    /// The index of `::`; nil if there is none.
    private static func firstGap(in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.indices.dropLast().first { bytes[$0] == UInt8(ascii: ":") && bytes[$0 + 1] == UInt8(ascii: ":") }
    }

    /// Parses groups separated by colons. An empty text has no groups. The last group may be an IPv4 address, which
    /// counts as two.
    private static func parseGroups(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
        guard !bytes.isEmpty else { return [] }
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let v4 = parseV4(part) else { return nil }
                groups += [UInt16(v4 >> 16), UInt16(v4 & 0xFFFF)]
                continue
            }
            guard (1...4).contains(part.count) else { return nil }
            var group: UInt16 = 0
            for byte in part {
                guard let digit = byte.hexadecimalValue else { return nil }
                group = group << 4 | UInt16(digit)
            }
            groups.append(group)
        }
        return groups
    }

    private static func join(_ groups: [UInt16]) -> UInt128 {
        groups.reduce(0) { $0 << 16 | UInt128($1) }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical text (RFC 5952): the longest run of zero groups is `::`, letters are in lower case, and an
    /// IPv4-mapped address has the form `::ffff:192.0.2.1`.
    public var description: String {
        switch self {
        case .v4(let value): Self.format(value)
        case .v6(let value) where value >> 32 == 0xFFFF: "::ffff:" + Self.format(UInt32(truncatingIfNeeded: value))
        case .v6(let value): Self.format(value)
        }
    }

    private static func format(_ value: UInt32) -> String {
        [24, 16, 8, 0].map { String(value >> UInt32($0) & 0xFF) }.joined(separator: ".")
    }

    private static func format(_ value: UInt128) -> String {
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: value >> UInt128((7 - $0) * 16)) }
        let run = longestZeroRun(in: groups)
        let text = { (groups: ArraySlice<UInt16>) in groups.map { String($0, radix: 16) }.joined(separator: ":") }
        guard run.count >= 2 else { return text(groups[...]) }
        return text(groups[..<run.lowerBound]) + "::" + text(groups[run.upperBound...])
    }

    /// The longest run of zero groups; the first of equally long ones.
    private static func longestZeroRun(in groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start: Int?
        for (index, group) in groups.enumerated() {
            guard group == 0 else {
                start = nil
                continue
            }
            let run = (start ?? index)..<(index + 1)
            start = run.lowerBound
            if run.count > longest.count { longest = run }
        }
        return longest
    }
}

extension IPAddress {
    /// The address that packets are sent to: the kernel treats an IPv4-mapped address (`::ffff:0:0/96`, RFC 4291,
    /// 2.5.5.2) as its IPv4 address.
    public var unmapped: IPAddress {
        guard case .v6(let value) = self, value >> 32 == 0xFFFF else { return self }
        return .v4(UInt32(truncatingIfNeeded: value))
    }

    /// The IPv4 addresses that a gateway or tunnel extracts from this address and sends packets to.
    ///
    /// These formats are known: IPv4-compatible (::/96), NAT64 (64:ff9b::/96, RFC 6052), 6to4 (2002::/16, RFC 3056) and
    /// Teredo (2001::/32, RFC 4380: the server, and the client with inverted bits).
    var embedded: [IPAddress] {
        guard case .v6(let value) = self else { return [] }
        let low = UInt32(truncatingIfNeeded: value)
        if Self.nat64.contains(self) { return [.v4(low)] }
        if Self.sixToFour.contains(self) { return [.v4(UInt32(truncatingIfNeeded: value >> 80))] }
        if Self.teredo.contains(self) { return [.v4(UInt32(truncatingIfNeeded: value >> 64)), .v4(~low)] }
        // :: and ::1 are in the block, but have no embedded address.
        return value >> 32 == 0 && value > 1 ? [.v4(low)] : []
    }

    private static let nat64 = CIDR(.v6(0x0064_ff9b << 96), prefixLength: 96)
    private static let sixToFour = CIDR(.v6(0x2002 << 112), prefixLength: 16)
    private static let teredo = CIDR(.v6(0x2001_0000 << 96), prefixLength: 32)
}

extension IPAddress {
    /// Whether the address is public. An IPv4-mapped address is validated as its IPv4 address. Addresses embedded in
    /// that of a tunnel are not validated here.
    public var isPublic: Bool {
        switch unmapped {
        case .v4: !CIDR.specialV4.contains { $0.contains(unmapped) }
        case .v6: CIDR.globalUnicastV6.contains { $0.contains(self) } && !CIDR.specialV6.contains { $0.contains(self) }
        }
    }

    /// Whether the address, or one embedded in that of a tunnel, is of this machine or of its links.
    public var isLocal: Bool {
        ([unmapped] + unmapped.embedded).contains { address in CIDR.local.contains { $0.contains(address) } }
    }

    /// The address that a URL's host is, or certainly leads to (RFC 6761, section 6.3).
    public static func literal(urlHost host: String) -> Self? {
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        if name == "localhost" || name.hasSuffix(".localhost") { return IPAddress(urlHost: "127.0.0.1") }
        return IPAddress(urlHost: host)
    }
}
