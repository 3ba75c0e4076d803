/// A pattern of event types: one type, a group (`download.*`), or all (`*`).
public struct EventPattern: Hashable, Sendable {
    /// The type of progress messages in streams. They are not stored in the log.
    public static let progress = "download.progress"

    private static let words = EventType.allCases.map(\.rawValue) + [progress]

    public let text: String

    /// - Returns: nil if the pattern matches no type.
    public init?(_ text: String) {
        self.text = text
        guard Self.words.contains(where: includes) else { return nil }
    }

    /// The event types that the pattern matches.
    public var types: Set<EventType> { Set(EventType.allCases.filter { includes($0.rawValue) }) }

    public var includesProgress: Bool { includes(Self.progress) }

    private func includes(_ word: String) -> Bool {
        if text == "*" || text == word { return true }
        return text.hasSuffix(".*") && word.hasPrefix(text.dropLast())
    }
}
