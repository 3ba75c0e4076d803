public import Core
import FoundationEssentials
import HTTPFields

/// What the API shows, alone or in the pages of a list.
public protocol Resource: Sendable {
    /// About how many bytes its JSON has, so that it is written without growing.
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
    /// Where the next page begins; nil on the last page.
    public var nextCursor: String?
    /// Path and query of the next page; nil on the last one.
    public var nextPath: String?

    public init(items: [Item], nextCursor: String? = nil, nextPath: String? = nil) {
        self.items = items
        self.nextCursor = nextCursor
        self.nextPath = nextPath
    }

    /// The JSON of the body.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: Item.usualLength * items.count + 256)
        writer.object { writer in
            writer.name("items")
            writer.array(items) { $1.write(to: &$0) }
            writer.member("next_cursor", nextCursor)
            writer.member("links") { $0.member("next", nextPath) }
        }
        return writer.bytes
    }
}

/// The entity tags of what the API shows, quotes included.
public enum ETags {
    /// The tag of a download's resource, which is strong: it changes with whatever the resource shows (RFC 9110,
    /// section 8.8.1).
    ///
    /// - Parameters:
    ///   - receivedBytes: As the resource shows them, and `phase` and `verifiedBytes` too.
    ///   - readAt: The instant of the reading, with which speed and remaining time change; nil where nothing runs.
    ///   - hold: What is shown of a hold that no revision counts.
    public static func download(
        revision: Int64,
        receivedBytes: Int64,
        phase: DownloadPhase?,
        verifiedBytes: Int64? = nil,
        readAt: Timestamp?,
        hold: String? = nil
    ) -> String {
        let numbers = [verifiedBytes, readAt?.milliseconds].compactMap { $0.map(String.init) }
        let shown = [phase?.rawValue, hold.map(digest)].compactMap(\.self) + numbers
        return "\"" + (["\(revision)", "\(receivedBytes)"] + shown).joined(separator: ".") + "\""
    }

    private static func digest(of text: String) -> String {
        var digest = XXH64()
        let bytes = Array(text.utf8)
        // A byte has no padding that could be read.
        unsafe digest.update(bytes.span.bytes)
        return String(digest.value, radix: 16)
    }

    /// The tag of a finished file. A generation's bytes never change once they are published.
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

    /// Nil for other characters, and for a text of which another one would decode to the same bytes.
    static func decode(_ text: String) -> [UInt8]? {
        guard let bytes = Base64.decode(text.utf8.map { usualDigits[$0] ?? $0 }), encode(bytes) == text else {
            return nil
        }
        return bytes
    }

    private static let digits = [UInt8(ascii: "+"): UInt8(ascii: "-"), UInt8(ascii: "/"): UInt8(ascii: "_")]
    private static let usualDigits = [UInt8(ascii: "-"): UInt8(ascii: "+"), UInt8(ascii: "_"): UInt8(ascii: "/")]
}
