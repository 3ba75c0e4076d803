/// The columns of `download` in the order in which they are written and read.
enum DownloadColumns {
    /// Set once, when the row is made.
    static let fixed = [
        "id", "directory", "session", "dedupe_key", "callback_url", "webhook_ids", "created_at",
    ]

    static let all = fixed + ColumnGroup.all.flatMap(\.columns)

    /// For SELECT and RETURNING.
    static let list = all.joined(separator: ", ")
}
