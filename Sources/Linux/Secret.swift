/// A secret, from a file or the environment. Printing, interpolating or dumping it does not show its text.
public struct Secret: Hashable, Sendable {
    public let text: String

    /// Whether the file lets its group or everyone read it, which deserves a warning.
    public let isReadableByOthers: Bool

    public init(text: String, isReadableByOthers: Bool = false) {
        self.text = text
        self.isReadableByOthers = isReadableByOthers
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        "<secret>"
    }

    public var debugDescription: String {
        description
    }

    public var customMirror: Mirror {
        Mirror(self, children: [:])
    }
}
