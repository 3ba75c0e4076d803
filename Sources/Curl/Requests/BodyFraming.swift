/// What marks the end of a response's body (RFC 9112, section 6.3; RFC 9113, section 8.1; RFC 9114, section 4.1).
///
/// It is decided from the head alone, before a byte of the body counts. libcurl decides it too, but versions differ in
/// what they do with invalid fields.
enum BodyFraming: Hashable, Sendable {
    /// The status allows no body.
    case noBody
    case length(Int64)
    /// The last chunk. A length beside chunks does not count.
    case chunked(besideLength: Int64?)
    /// The end of the HTTP/2 or HTTP/3 stream; with a length, also that.
    case stream(length: Int64?)
    /// The end of the connection, which proves nothing.
    case untilClose

    enum Fault: Error, Hashable {
        /// `Transfer-Encoding` is anything but one `chunked`. No other coding was requested (RFC 9110, section 10.1.4).
        case transferCoding
        /// `Content-Length` is no number, or several differ (RFC 9112, section 6.3: an unrecoverable error).
        case length
    }

    init(status: Int, version: ResponseHead.Version, fields: [HeaderField]) throws(Fault) {
        let isChunked = try Self.isChunked(fields)
        let length = try Self.length(fields)
        if (100..<200).contains(status) || status == 204 || status == 304 {
            self = .noBody
        } else if version == .http2 || version == .http3 {
            // They have no transfer codings (RFC 9113, section 8.2.2; RFC 9114, section 4.2).
            guard !isChunked else { throw .transferCoding }
            self = .stream(length: length)
        } else if isChunked {
            self = .chunked(besideLength: length)
        } else {
            self = length.map(Self.length) ?? .untilClose
        }
    }

    /// The length that delimits the body.
    var length: Int64? {
        switch self {
        case .length(let length), .stream(.some(let length)): length
        case .noBody, .chunked, .stream(nil), .untilClose: nil
        }
    }

    /// Whether libcurl may have ended the body at the head. Its versions 8.10 to 8.20 do if a `Content-Length` of 0
    /// stands beside chunks.
    var mayEndAtHead: Bool { self == .chunked(besideLength: 0) }

    private static func isChunked(_ fields: [HeaderField]) throws(Fault) -> Bool {
        let values = values(of: "Transfer-Encoding", in: fields)
        guard !values.isEmpty else { return false }
        let codings = values.filter { !$0.isEmpty }
        guard codings.count == 1, HeaderField(codings[0], "").isNamed("chunked") else { throw .transferCoding }
        return true
    }

    /// The stated length; nil if there is none, or one that is too large for `Int64`.
    private static func length(_ fields: [HeaderField]) throws(Fault) -> Int64? {
        let values = values(of: "Content-Length", in: fields)
        guard let first = values.first else { return nil }
        let areNumbers = values.allSatisfy { value in
            !value.isEmpty && value.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard areNumbers, values.allSatisfy({ $0 == first }) else { throw .length }
        return Int64(first)
    }

    /// The members of a list in all fields of this name, without white space around them.
    private static func values(of name: String, in fields: [HeaderField]) -> [String] {
        fields.filter { $0.isNamed(name) }.flatMap { field in
            field.value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { member in
                let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
                let text = member.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
                return String(decoding: text, as: UTF8.self)
            }
        }
    }
}
