/// The codings that a `Content-Encoding` or `Transfer-Encoding` field lists, in a form that can be compared.
enum ContentCoding {
    /// The value in lower case and without white space; nil when it stands for no coding at all.
    static func normalized(_ fieldValue: String?) -> String? {
        guard let fieldValue else { return nil }
        let bytes = fieldValue.utf8.filter { $0 != .space && $0 != .tab }.map(\.lowercasedASCII)
        let text = String(decoding: bytes, as: UTF8.self)
        return text.isEmpty || text == "identity" ? nil : text
    }

    /// Whether the final transfer coding is `chunked`, whose end is marked (RFC 9112, 6.3).
    static func endsInChunked(_ transferEncoding: String?) -> Bool {
        transferCodings(transferEncoding).last == "chunked"
    }

    /// The codings of a list, in lower case. White space inside a coding is kept: libcurl takes `chun ked` for another
    /// coding.
    private static func transferCodings(_ fieldValue: String?) -> [String] {
        (fieldValue ?? "").utf8.split(separator: UInt8(ascii: ",")).compactMap { member in
            let isSpace = { (byte: UInt8) in byte == .space || byte == .tab }
            let coding = member.drop(while: isSpace).reversed().drop(while: isSpace).reversed().map(\.lowercasedASCII)
            return coding.isEmpty ? nil : String(decoding: coding, as: UTF8.self)
        }
    }

    /// Whether a body has a transfer coding besides `chunked`. Nobody asks for one (RFC 9110, 10.1.4), and libcurl
    /// takes none away where it leaves the content's coding as it is: the coded bytes would pass for the file's.
    static func hasForeignTransferCoding(_ transferEncoding: String?) -> Bool {
        let strange = transferCodings(transferEncoding).filter { $0 != "identity" }
        return strange != ["chunked"] && !strange.isEmpty
    }
}
