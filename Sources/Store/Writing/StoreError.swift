/// The reason why a call of the store failed. Nothing of the call was written, except perhaps for ``outcomeUnknown``.
public enum StoreError: Error, Hashable, Sendable {
    /// The database has a schema that no version of the program up to this one has made: a newer version did, or a
    /// development version. Both schemas are given as the number and the digest.
    case unknownSchema(found: String, known: String)
    /// The file cannot be opened, or SQLite refused a setting that durability needs.
    case cannotOpen(String)
    /// The disk is full. The transaction was rolled back; reads still work.
    case full
    /// The disk failed during a commit. Only a restart can tell whether the transaction was committed.
    case outcomeUnknown
    /// A download would exceed the byte limit of its session.
    case quotaExceeded
    /// The database cannot be used now, such as a file that another process has locked. A later call may succeed.
    case unavailable(String)
    /// The system failed: an I/O error of the disk, or no memory.
    case failed(String)
    /// The database file is damaged.
    case corrupt(String)
    /// A constraint of the schema rejected the row: a bug in the program.
    case refused(String)
    /// The program used the database incorrectly: a bug in the program.
    case misuse(String)
    /// The database contains values that this version cannot read.
    case unreadable(String)
    /// The rows of these downloads contain values that this version cannot read.
    case unreadableDownloads([UnreadableDownload])
    /// The store was closed.
    case closed

    /// Whether this process must stop writing. A restart reads the actual state, or an operator repairs the database.
    public var endsService: Bool {
        switch self {
        case .outcomeUnknown, .corrupt: true
        case .unknownSchema, .cannotOpen, .full, .quotaExceeded, .unavailable, .failed, .refused, .misuse,
            .unreadable, .unreadableDownloads, .closed:
            false
        }
    }

    /// Whether the same call may succeed later, without a restart or an operator.
    public var isTemporary: Bool {
        switch self {
        case .full, .unavailable: true
        case .unknownSchema, .cannotOpen, .outcomeUnknown, .quotaExceeded, .failed, .corrupt, .refused, .misuse,
            .unreadable, .unreadableDownloads, .closed:
            false
        }
    }

    /// Whether the database has rolled back the whole transaction, rather than only the failed statement.
    var endsTransaction: Bool {
        switch self {
        case .full, .failed, .corrupt, .outcomeUnknown: true
        case .unknownSchema, .cannotOpen, .quotaExceeded, .unavailable, .refused, .misuse, .unreadable,
            .unreadableDownloads, .closed:
            false
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// A part of a sentence, for operators and the log.
    public var description: String {
        switch self {
        case .unknownSchema(let found, let known):
            "the database has the schema \(found), which this version of cormorant does not know; its own is \(known)."
                + " Use the version that made the database, or a backup of an older one"
        case .cannotOpen(let detail): "the database cannot be opened: \(detail)"
        case .full: "the disk is full"
        case .outcomeUnknown: "the disk failed during a write; the next start reads what is on the disk"
        case .failed(let detail): "the database cannot be used: \(detail)"
        case .corrupt(let detail): "the database is damaged: \(detail)"
        case .unavailable(let detail): "the database cannot be used now: \(detail)"
        case .refused(let detail): "the database refused a row: \(detail)"
        case .misuse(let detail): "the database was used wrongly: \(detail)"
        case .unreadable(let detail): "the database cannot be read: \(detail)"
        case .unreadableDownloads(let rows): "records cannot be read: \(rows.map(\.id).joined(separator: ", "))"
        case .closed: "the database is closed"
        case .quotaExceeded: "a session has no room for a download"
        }
    }
}
