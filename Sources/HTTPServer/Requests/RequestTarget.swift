/// A request target in one of the supported forms (RFC 9112, section 3.2), split but not decoded.
///
/// A target is refused if two parsers could understand it differently, because one of them decodes, truncates or
/// normalises a part of it.
struct RequestTarget: Equatable {
    let path: String
    let query: String?

    /// - Parameters:
    ///   - raw: The raw target.
    ///   - authority: The value of `Host`. An absolute target must contain the same authority.
    init(raw: [UInt8], authority: String?, isOptions: Bool) throws(Refusal) {
        guard raw.allSatisfy(Self.isAllowed) else {
            throw Refusal(.badTarget, "The request target has a character that RFC 3986 does not allow.")
        }
        let local = try Self.strippingOrigin(raw[...], authority: authority, isOptions: isOptions)
        guard local.first == UInt8(ascii: "/") else {
            guard isOptions, local.elementsEqual([UInt8(ascii: "*")]) else {
                throw Refusal(.badTarget, "The request target does not begin with a slash.")
            }
            path = "*"
            query = nil
            return
        }
        let questionMark = local.firstIndex(of: UInt8(ascii: "?"))
        let path = local[..<(questionMark ?? local.endIndex)]
        try Self.checkPath(path)
        if let questionMark { try Self.checkEscapes(local[(questionMark + 1)...]) { $0 != 0 } }
        self.path = String(decoding: path, as: UTF8.self)
        query = questionMark.map { String(decoding: local[($0 + 1)...], as: UTF8.self) }
    }

    /// Whether the byte is visible ASCII, except `#` and the backslash, which some parsers treat as a slash.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "\\")
    }

    /// Removes scheme and authority from an absolute target. The authority must equal `Host`.
    private static func strippingOrigin(
        _ raw: ArraySlice<UInt8>,
        authority: String?,
        isOptions: Bool
    ) throws(Refusal) -> ArraySlice<UInt8> {
        guard let scheme = ["http://", "https://"].first(where: { raw.starts(withIgnoringCase: $0) }) else {
            return raw
        }
        let rest = raw.dropFirst(scheme.utf8.count)
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        let named = rest[..<end]
        guard let authority, named.count == authority.utf8.count, named.starts(withIgnoringCase: authority) else {
            throw Refusal(.badTarget, "The request target names another authority than Host.")
        }
        let local = rest[end...]
        if local.isEmpty { return isOptions ? [UInt8(ascii: "*")] : [UInt8(ascii: "/")] }
        return local.first == UInt8(ascii: "?") ? [UInt8(ascii: "/")] + local : local
    }

    private static func checkPath(_ path: ArraySlice<UInt8>) throws(Refusal) {
        try checkEscapes(path) { byte in
            byte >= 0x20 && byte != 0x7f && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "\\")
        }
        for segment in path.split(separator: UInt8(ascii: "/")) where isDotSegment(segment) {
            throw Refusal(.badTarget, "The path has a dot segment.")
        }
    }

    /// Whether a segment is `.` or `..`, plain or percent-encoded. Normalisation removes such segments (RFC 3986,
    /// section 5.2.4), and `%2e` equals `.` (section 6.2.2.2).
    private static func isDotSegment(_ segment: ArraySlice<UInt8>) -> Bool {
        var dots = 0
        var rest = segment
        while let first = rest.first {
            if first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else if rest.starts(withIgnoringCase: "%2e") {
                rest = rest.dropFirst(3)
            } else {
                return false
            }
            dots += 1
        }
        return dots == 1 || dots == 2
    }

    private static func checkEscapes(
        _ bytes: ArraySlice<UInt8>,
        accept: (UInt8) -> Bool
    ) throws(Refusal) {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard bytes[index] == UInt8(ascii: "%") else {
                index += 1
                continue
            }
            guard
                index + 2 < bytes.endIndex, let high = bytes[index + 1].hexDigitValue,
                let low = bytes[index + 2].hexDigitValue, accept(high << 4 | low)
            else { throw Refusal(.badTarget, "The request target has a percent-encoding that is not allowed.") }
            index += 3
        }
    }
}
