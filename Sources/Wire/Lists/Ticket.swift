public import Model

/// A ticket: lets whoever has it read one path for a while, where a browser cannot send a token.
///
/// It is sealed, so nothing is kept for it, and it outlives the process that gave it. It may be used more than once in
/// its time, since a browser that lost its stream connects again with the same URL.
public struct Ticket: Hashable, Sendable {
    /// The path as requests write it, without a query.
    public let path: String
    public let expiresAt: Timestamp
    /// What the access that it was given for is known by: it ends with it.
    public let grant: [UInt8]

    private static let mark = Array("ticket 1\n".utf8)

    public init(path: String, expiresAt: Timestamp, grant: [UInt8]) {
        self.path = path
        self.expiresAt = expiresAt
        self.grant = grant
    }

    public func text(_ sealer: CursorSealer) -> String {
        let head = Self.mark + Array("\(expiresAt.milliseconds)\n\(path)\n".utf8)
        return Base64URL.encode(sealer.seal(head + grant))
    }

    /// Takes a ticket back; nil where it is none.
    public init?(_ text: String, _ sealer: CursorSealer) {
        guard text.utf8.count <= Cursor.maximumLength, let sealed = Base64URL.decode(text) else { return nil }
        guard let bytes = sealer.open(sealed), bytes.starts(with: Self.mark) else { return nil }
        let parts = bytes.dropFirst(Self.mark.count)
            .split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let time = Int64(String(decoding: parts[0], as: UTF8.self)) else { return nil }
        path = String(decoding: parts[1], as: UTF8.self)
        expiresAt = Timestamp(milliseconds: time)
        grant = Array(parts[2])
    }
}
