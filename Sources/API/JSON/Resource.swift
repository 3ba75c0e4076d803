public import Core
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

/// One page of a list.
public struct PageBody<Item: Resource>: Sendable {
    public var items: [Item]
    /// The cursor of the next page; nil on the last page.
    public var nextCursor: String?
    /// The path and query of the next page; nil on the last page.
    public var nextPath: String?
    /// The number of items on all pages, if the client requested it.
    public var count: DownloadCount?

    public init(
        items: [Item],
        nextCursor: String? = nil,
        nextPath: String? = nil,
        count: DownloadCount? = nil
    ) {
        self.items = items
        self.nextCursor = nextCursor
        self.nextPath = nextPath
        self.count = count
    }

    /// The JSON of the body.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: Item.usualLength * items.count + 256)
        writer.object { writer in
            writer.name("items")
            writer.array(items) { $1.write(to: &$0) }
            writer.member("next_cursor", nextCursor)
            writer.member("links") { $0.member("next", nextPath) }
            guard let count else { return }
            writer.member("total", count.total)
            writer.member("total_is_lower_bound", count.isLowerBound)
        }
        return writer.bytes
    }
}

/// Entity tags, including their quotes.
public enum ETags {
    /// The strong tag of a download: it changes with everything that the resource shows (RFC 9110, section 8.8.1).
    ///
    /// - Parameters:
    ///   - receivedBytes: The value in the resource, like `phase` and `verifiedBytes`.
    ///   - readAt: The instant of the progress reading, which changes rate and remaining time; nil without a transfer.
    ///   - deferral: The shown text of a deferral, which does not change the revision.
    public static func download(
        revision: Int64,
        receivedBytes: Int64,
        phase: DownloadPhase?,
        verifiedBytes: Int64? = nil,
        readAt: Timestamp?,
        deferral: String? = nil
    ) -> String {
        let numbers = [verifiedBytes, readAt?.milliseconds].compactMap { $0.map(String.init) }
        let shown = [phase?.rawValue, deferral.map(digest)].compactMap(\.self) + numbers
        return "\"" + (["\(revision)", "\(receivedBytes)"] + shown).joined(separator: ".") + "\""
    }

    /// The strong tag of bytes that no revision counts, as of a document that is built into the program.
    static func content(_ bytes: [UInt8]) -> String { "\"\(digest(of: bytes))\"" }

    private static func digest(of text: String) -> String { digest(of: Array(text.utf8)) }

    private static func digest(of bytes: [UInt8]) -> String {
        var digest = XXH64()
        // Bytes have no padding.
        unsafe digest.update(bytes.span.bytes)
        return String(digest.value, radix: 16)
    }

    /// The tag of a finished file. The bytes of a generation never change after they are published.
    public static func file(id: DownloadID, generation: Int) -> String {
        "\"\(id.text).\(generation)\""
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
