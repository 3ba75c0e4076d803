import HTTPFields

/// Normalises the codings of a `Content-Encoding` or `Transfer-Encoding` field for comparison.
enum ContentCoding {
    /// The value in lower case and without white space; nil if there is no coding.
    static func normalized(_ fieldValue: String?) -> String? {
        guard let fieldValue else { return nil }
        let bytes = fieldValue.utf8.filter { $0 != .space && $0 != .tab }.map(\.lowercasedASCII)
        let text = String(decoding: bytes, as: UTF8.self)
        return text.isEmpty || text == "identity" ? nil : text
    }

    /// Whether the final transfer coding is `chunked`, which marks the end of the body (RFC 9112, 6.3).
    static func endsInChunked(_ transferEncoding: String?) -> Bool {
        transferCodings(transferEncoding).last == "chunked"
    }

    /// The codings of a list, in lower case. White space inside a coding is kept, because libcurl treats `chun ked` as
    /// a different coding.
    private static func transferCodings(_ fieldValue: String?) -> [String] {
        (fieldValue ?? "").utf8.split(separator: UInt8(ascii: ",")).compactMap { member in
            let isSpace = { (byte: UInt8) in byte == .space || byte == .tab }
            let coding = member.drop(while: isSpace).reversed().drop(while: isSpace).reversed().map(\.lowercasedASCII)
            return coding.isEmpty ? nil : String(decoding: coding, as: UTF8.self)
        }
    }

    /// Whether a body has a transfer coding other than `chunked`. The service never requests one (RFC 9110, 10.1.4),
    /// and libcurl does not decode it here, so the encoded bytes would be stored as the file.
    static func hasForeignTransferCoding(_ transferEncoding: String?) -> Bool {
        let strange = transferCodings(transferEncoding).filter { $0 != "identity" }
        return strange != ["chunked"] && !strange.isEmpty
    }
}

/// The sizes for the comparison of repeated bytes with the stored ones, before new bytes are appended.
public enum OverlapRules {
    /// The number of bytes to request again.
    public static let bytes: Int64 = 64 << 10
    /// The maximum number of bytes to compare if a range begins too early.
    public static let maximumBytes: Int64 = 1 << 20
}
