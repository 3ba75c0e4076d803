/// The client's name for a group of downloads: the counterpart of a background session's identifier.
///
/// 1 to 128 letters, digits, `.`, `_`, `:` and `-`, the first a letter or digit.
public struct SessionName: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public var description: String { text }

    /// The name that `text` is, or nil where it is not one.
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
