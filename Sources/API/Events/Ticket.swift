public import Core
import HTTPServer
import HTTPTypes

/// A ticket allows its holder to read one path for a short time, where a browser cannot send a token.
///
/// It is sealed, so the service stores nothing for it, and it stays valid after a restart. It may be used more than
/// once, since a browser that lost its stream reconnects with the same URL.
public struct Ticket: Hashable, Sendable {
    /// The path in the form of a request target, without a query.
    public let path: String
    public let expiresAt: Timestamp
    /// The fingerprint of the token that it replaces. The ticket becomes invalid when the token changes.
    public let grant: [UInt8]

    private static let prefix = Array("ticket 1\n".utf8)

    public init(path: String, expiresAt: Timestamp, grant: [UInt8]) {
        self.path = path
        self.expiresAt = expiresAt
        self.grant = grant
    }

    public func text(_ sealer: CursorSealer) -> String {
        let head = Self.prefix + Array("\(expiresAt.milliseconds)\n\(path)\n".utf8)
        return Base64URL.encode(sealer.seal(head + grant))
    }

    /// Decodes a ticket; nil if it is invalid.
    public init?(_ text: String, _ sealer: CursorSealer) {
        guard text.utf8.count <= Cursor.maximumLength, let sealed = Base64URL.decode(text) else { return nil }
        guard let bytes = sealer.open(sealed), bytes.starts(with: Self.prefix) else { return nil }
        let parts = bytes.dropFirst(Self.prefix.count)
            .split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let time = Int64(String(decoding: parts[0], as: UTF8.self)) else { return nil }
        path = String(decoding: parts[1], as: UTF8.self)
        expiresAt = Timestamp(milliseconds: time)
        grant = Array(parts[2])
    }
}
