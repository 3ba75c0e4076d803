extension IPAddress {
    /// Reads an address in its usual text form: four decimal numbers, or hexadecimal groups (RFC 4291, 2.2), with an
    /// embedded IPv4 address at the end if need be.
    ///
    /// Other forms that some resolvers take (`127.1`, `0x7f000001`, octal numbers, a zone such as `%eth0`) are nil. To
    /// judge a destination, judge the socket address, never such a text.
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

    /// Reads the host of a URL when it is a literal: an IPv6 address stands in brackets there (RFC 3986, 3.2.2).
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
            // A leading zero means octal to some readers.
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
        // An IPv4 address may only end the whole.
        guard !bytes[..<gap].contains(UInt8(ascii: ".")), head.count + tail.count <= 7 else { return nil }
        return join(head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail)
    }

    /// Where `::` stands, if it does.
    private static func firstGap(in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.indices.dropLast().first { bytes[$0] == UInt8(ascii: ":") && bytes[$0 + 1] == UInt8(ascii: ":") }
    }

    /// Groups between colons; none for no text. The last may be an IPv4 address, which makes two.
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
