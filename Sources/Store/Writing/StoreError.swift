import GRDB

/// Why the store could not do what was asked; nothing of the call was kept, but for ``outcomeUnknown``.
public enum StoreError: Error, Hashable, Sendable {
    /// The database was made by a newer version of the program.
    case newerSchema
    /// The file cannot be opened, or SQLite refused a setting that durability needs.
    case cannotOpen(String)
    /// The disk is full. The transaction was rolled back; reading still works.
    case full
    /// The disk failed while a transaction was being committed. Whether it happened is known after a restart only.
    case outcomeUnknown
    /// A download would hold more bytes than its session has room for.
    case quotaExceeded
    /// Another process holds the database file.
    case busy
    /// The system did not give what was needed: the disk answered with an error, or there was no memory.
    case failed(String)
    /// The database file is damaged.
    case corrupt(String)
    /// A rule of the schema refused the row: a defect of the program.
    case refused(String)
    /// The database was asked for what it cannot do: a defect of the program.
    case misuse(String)
    /// The database holds what this version cannot read.
    case unreadable(String)
    /// So do the rows of these downloads.
    case unreadableDownloads([UnreadableDownload])
    /// The store was closed.
    case closed

    /// Whether this process must write nothing more. A new start reads what is there, or an operator repairs it.
    public var endsService: Bool {
        switch self {
        case .outcomeUnknown, .corrupt: true
        case .newerSchema, .cannotOpen, .full, .quotaExceeded, .busy, .failed, .refused, .misuse, .unreadable,
            .unreadableDownloads, .closed:
            false
        }
    }
}

extension StoreError {
    /// Why a database cannot be opened.
    init(opening error: DatabaseError) {
        self =
            switch StoreError(error) {
            case .corrupt(let detail): .corrupt(detail)
            default: .cannotOpen(error.message ?? "SQLite result \(error.resultCode.rawValue)")
            }
    }

    /// What an error of SQLite means (<https://www.sqlite.org/rescode.html>).
    ///
    /// - Parameter isCommit: Whether `COMMIT` itself failed. After an I/O error there, what was to be committed may
    /// be in the log already; after any other error it is undone.
    init(_ error: DatabaseError, isCommit: Bool = false) {
        let detail = "SQLite error \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
        self =
            switch error.resultCode {
            case .SQLITE_IOERR where isCommit: .outcomeUnknown
            case .SQLITE_FULL: .full
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG: .refused(detail)
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt(detail)
            case .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: .failed(detail)
            default: .misuse(detail)
            }
    }
}
