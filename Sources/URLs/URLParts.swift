/// The parts of the text of a URL (RFC 3986, section 3). Any text has them: what is missing is nil or empty.
///
/// It splits texts that were parsed before, and finds the secret parts of texts that are shown. Only libcurl's parser
/// decides which URL is requested.
struct URLParts {
    /// nil if the text does not begin with a scheme and an authority.
    let scheme: Substring?
    /// User information, host and port.
    let authority: Substring
    /// From the authority to the query, an encrypted part or the fragment; from the start of a text without a scheme.
    let path: Substring
    /// The position of the first `?` or `#`, or the end of the text. An encrypted part may stand before it.
    let queryStart: String.Index
    /// The position of the `#`, or the end of the text.
    let fragmentStart: String.Index

    init(_ text: String) {
        let bytes = text.utf8
        fragmentStart = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        queryStart = bytes[..<fragmentStart].firstIndex(of: UInt8(ascii: "?")) ?? fragmentStart
        let head = bytes[..<queryStart]
        guard let colon = head.firstIndex(of: UInt8(ascii: ":")), head[colon...].starts(with: "://".utf8) else {
            scheme = nil
            authority = text[text.startIndex..<text.startIndex]
            path = text[..<queryStart]
            return
        }
        let start = bytes.index(colon, offsetBy: 3)
        let pathStart = head[start...].firstIndex(of: UInt8(ascii: "/")) ?? queryStart
        scheme = text[..<colon]
        authority = text[start..<pathStart]
        path = Substring(head[pathStart...].prefix { $0 != UInt8(ascii: " ") })
    }
}
