/// A row that this version cannot read as a download: it breaks a rule of a name, or holds a word of another version.
public struct UnreadableDownload: Error, Hashable, Sendable {
    /// What stands in its column `id`, which may itself be no id.
    public let id: String
    /// For a log: it may repeat a value of the row.
    public let reason: String

    public init(id: String, reason: String) {
        self.id = id
        self.reason = reason
    }
}
