/// The order of a list of downloads. Downloads with the same value are in the order of their ids, in the same
/// direction.
public struct DownloadOrder: Hashable, Sendable {
    public enum Key: String, CaseIterable, Hashable, Sendable {
        case createdAt = "created_at"
        case finishedAt = "finished_at"
        case priority, size, name
    }

    public var key: Key
    public var isDescending: Bool

    public init(_ key: Key = .createdAt, isDescending: Bool = true) {
        self.key = key
        self.isDescending = isDescending
    }

    /// Parses the word of a request, such as `-created_at`; nil if there is no such order.
    public init?(_ word: String) {
        let isDescending = word.hasPrefix("-")
        guard let key = Key(rawValue: String(word.dropFirst(isDescending ? 1 : 0))) else { return nil }
        self.init(key, isDescending: isDescending)
    }

    /// The word of a request.
    public var word: String { (isDescending ? "-" : "") + key.rawValue }
}
