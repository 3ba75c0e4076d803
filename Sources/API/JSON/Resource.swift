import Core
import FoundationEssentials
import HTTPFields

/// A JSON object that the API returns, alone or in pages of a list.
public protocol Resource: Sendable {
    /// The approximate length of its JSON in bytes, to reserve the buffer.
    static var usualLength: Int { get }

    func write(to writer: inout JSONWriter)
}

extension Resource {
    /// The JSON of the body.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: Self.usualLength)
        write(to: &writer)
        return writer.bytes
    }
}

/// Base64 with the alphabet of URLs and without padding (RFC 4648, section 5).
enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString().utf8.prefix { $0 != UInt8(ascii: "=") }
        return String(decoding: text.map { digits[$0] ?? $0 }, as: UTF8.self)
    }

    /// Returns nil for other characters, and for a text that is not the canonical encoding of its bytes.
    static func decode(_ text: String) -> [UInt8]? {
        guard let bytes = Base64.decode(text.utf8.map { usualDigits[$0] ?? $0 }), encode(bytes) == text else {
            return nil
        }
        return bytes
    }

    private static let digits = [UInt8(ascii: "+"): UInt8(ascii: "-"), UInt8(ascii: "/"): UInt8(ascii: "_")]
    private static let usualDigits = [UInt8(ascii: "-"): UInt8(ascii: "+"), UInt8(ascii: "_"): UInt8(ascii: "/")]
}
