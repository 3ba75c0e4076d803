/// The name of a root: a folder, configured by the operator, below which finished files are placed.
public struct RootName: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    /// The root without a name, which is used if a download names none: the setting `downloads_dir`.
    public static let downloads = RootName(unchecked: "")

    public static let expectation = "1 to 32 lower-case letters, digits, '-' and '_', the first a letter or digit"

    private init(unchecked text: String) {
        self.text = text
    }

    /// Returns nil for a text that is no name.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...32).contains(bytes.count), let first = bytes.first, Self.isAlphanumeric(first),
            bytes.allSatisfy({ Self.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { return nil }
        self.text = text
    }

    /// Reads a stored name, which is empty for ``downloads``.
    public init?(stored text: String) {
        if text.isEmpty { self = .downloads } else { self.init(text) }
    }

    /// The name in answers; nil for ``downloads``.
    public var shown: String? { self == .downloads ? nil : text }

    /// The subject of a sentence about the root.
    public var description: String { self == .downloads ? "The folder downloads_dir" : "The root '\(text)'" }

    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
