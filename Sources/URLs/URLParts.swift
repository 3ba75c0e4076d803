/// The parts of the text of a URL (RFC 3986, section 3). Any text has them: what is missing is nil or empty.
///
/// It splits texts that were parsed before, and finds the secret parts of texts that are shown. Only libcurl's parser
/// decides which URL is requested.
struct URLParts {
    /// nil if the text does not begin with a scheme and an authority.
    let scheme: Substring?
    /// User information, host and port.
    let authority: Substring
    /// From the authority to the query, an encrypted part or the fragment.
    let path: Substring
    /// The position of the first `?` or `#`.
    let pathEnd: String.Index
    /// The position of the `#`.
    let fragment: String.Index

    init(_ text: String) {
        let bytes = text.utf8
        fragment = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        pathEnd = bytes[..<fragment].firstIndex(of: UInt8(ascii: "?")) ?? fragment
        let head = bytes[..<pathEnd]
        guard let colon = head.firstIndex(of: UInt8(ascii: ":")), head[colon...].starts(with: "://".utf8) else {
            scheme = nil
            authority = text[text.startIndex..<text.startIndex]
            path = text[..<pathEnd]
            return
        }
        let start = bytes.index(colon, offsetBy: 3)
        let pathStart = head[start...].firstIndex(of: UInt8(ascii: "/")) ?? pathEnd
        scheme = text[..<colon]
        authority = text[start..<pathStart]
        path = Substring(head[pathStart...].prefix { $0 != UInt8(ascii: " ") })
    }
}
