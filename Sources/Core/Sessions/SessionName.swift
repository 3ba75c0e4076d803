/// A client's name for a group of downloads. It corresponds to the identifier of a background session.
///
/// It has 1 to 128 letters, digits, `.`, `_`, `:` and `-`, and begins with a letter or digit.
public struct SessionName: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public var description: String { text }

    /// Parses a name. Returns nil if it is invalid.
    public init?(_ text: String) {
        guard let first = text.utf8.first, text.utf8.count <= 128, Self.isAlphanumeric(first) else { return nil }
        guard text.utf8.allSatisfy({ Self.isAlphanumeric($0) || Self.punctuation.contains($0) }) else { return nil }
        self.text = text
    }

    private static let punctuation = Array("._:-".utf8)

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}

/// The result of an action on all downloads of a session.
public struct SessionActionResult: Hashable, Sendable {
    public let action: SessionAction
    /// The number of downloads that the action applied to, in their state at the time of the request.
    public var matched: Int
    /// The number of changed downloads.
    public var changed: Int
    /// The number of downloads that had already ended or already had the requested state.
    public var unchanged: Int
    /// The number of downloads that could not be changed, because they are in phase `publishing`.
    public var refused: Int

    public init(action: SessionAction, matched: Int, changed: Int = 0, unchanged: Int = 0, refused: Int = 0) {
        self.action = action
        self.matched = matched
        self.changed = changed
        self.unchanged = unchanged
        self.refused = refused
    }
}
