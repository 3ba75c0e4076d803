import Core

/// The names of members and parameters of requests that have changed.
///
/// An old name is refused like any unknown one, and the refusal names the new one. The table is for one release.
enum RenamedName {
    /// Each old name with its new one. An old name may have several, of different operations.
    static let all: [(old: String, new: String)] = [
        ("not_before", "not_before_at"),
        ("event_types", "types"),
        ("event_type", "types"),
        ("headers", "request_headers"),
        ("grace", "grace_seconds"),
        ("since", "created_after"),
        ("until", "created_before"),
        ("states", "state"),
        ("after", "created_after"),
        ("before", "created_before"),
        ("after", "after_seq"),
        ("download", "download_id"),
    ]

    /// The end of the refusal of an unknown name: its new one, or else the nearest that is known.
    ///
    /// - Parameter known: The names that may stand in the place of `name`.
    static func hint(for name: String, among known: [String]) -> String {
        if let renamed = all.first(where: { $0.old == name && known.contains($0.new) }) {
            return " Use \"\(renamed.new)\"."
        }
        return Spelling.nearest(to: name, in: known).map { " Did you mean \"\($0)\"?" } ?? ""
    }
}
