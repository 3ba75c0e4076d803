import HTTPFields

/// The codings that a `Content-Encoding` or `Transfer-Encoding` field lists, in a form that can be compared.
enum ContentCoding {
    /// The value in lower case and without white space; nil if it means no coding.
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

    /// Whether a body has a transfer coding besides `chunked`. The service never requests one (RFC 9110, 10.1.4), and
    /// libcurl does not decode it here, so the coded bytes would be taken for the file.
    static func hasForeignTransferCoding(_ transferEncoding: String?) -> Bool {
        let strange = transferCodings(transferEncoding).filter { $0 != "identity" }
        return strange != ["chunked"] && !strange.isEmpty
    }
}

/// How repeated bytes are compared with the stored ones before others are added.
public enum OverlapRules {
    /// The bytes that are asked for again.
    public static let bytes: Int64 = 64 << 10
    /// The most bytes that are compared to make use of a range that begins early.
    public static let maximumBytes: Int64 = 1 << 20
}
