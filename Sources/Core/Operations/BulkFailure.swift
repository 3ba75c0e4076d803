/// A download that an operation could not change.
public struct BulkFailure: Hashable, Sendable {
    public let download: DownloadID
    public let reason: Reason

    public init(_ download: DownloadID, _ reason: Reason) {
        self.download = download
        self.reason = reason
    }

    /// The code of a failure. Clients receive it, so it is stable.
    public enum Reason: String, CaseIterable, Hashable, Sendable {
        /// No download has this id.
        case notFound = "not_found"
        /// Its file is being published.
        case busy
        /// It has not ended, and the deletion was not forced.
        case notTerminal = "not_terminal"
        /// Another download has its dedupe key.
        case dedupeKeyTaken = "dedupe_key_taken"
        /// Its file cannot be removed, so its record stays too.
        case fileNotRemoved = "file_not_removed"
        /// Its URL or credentials were forgotten when it completed.
        case secretsForgotten = "secrets_forgotten"
        /// Its record cannot be read by this version.
        case unreadable

        /// A text for people.
        public var detail: String {
            switch self {
            case .notFound: "No download has this id."
            case .busy: "The file is being published. Repeat the action in a second."
            case .notTerminal: "The download has not ended. Cancel it first, or set \"force\" to true."
            case .dedupeKeyTaken: "Another download has the same dedupe_key."
            case .fileNotRemoved: "The file cannot be removed; the record stays. The log says why."
            case .secretsForgotten:
                "Secrets were forgotten when it completed. Retry it by PATCH, with the url and credentials."
            case .unreadable: "The record of the download cannot be read. The log says why."
            }
        }
    }
}
