import GRDB

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
