/// Names types of events: one of them, all of a family (`download.*`), or all (`*`).
public struct EventPattern: Hashable, Sendable {
    /// The type of what streams tell of a transfer, which is no event of the log.
    public static let progress = "download.progress"

    private static let words = EventType.allCases.map(\.rawValue) + [progress]

    public let text: String

    /// - Returns: nil where no type is meant.
    public init?(_ text: String) {
        self.text = text
        guard Self.words.contains(where: includes) else { return nil }
    }

    /// The types of the log that it means.
    public var types: Set<EventType> { Set(EventType.allCases.filter { includes($0.rawValue) }) }

    public var includesProgress: Bool { includes(Self.progress) }

    private func includes(_ word: String) -> Bool {
        if text == "*" || text == word { return true }
        return text.hasSuffix(".*") && word.hasPrefix(text.dropLast())
    }
}
