import GRDB

extension StoreError {
    /// The reason why a database cannot be opened.
    init(opening error: DatabaseError) {
        self =
            switch StoreError(error) {
            case .corrupt(let detail): .corrupt(detail)
            default: .cannotOpen(error.message ?? "SQLite result \(error.resultCode.rawValue)")
            }
    }

    /// Maps an error of SQLite (<https://www.sqlite.org/rescode.html>).
    ///
    /// - Parameter isCommit: Whether `COMMIT` itself failed. After an I/O error there, the transaction may be in the
    ///   log already; after any other error it is rolled back.
    init(_ error: DatabaseError, isCommit: Bool = false) {
        let detail = "SQLite error \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
        self =
            switch error.resultCode {
            case .SQLITE_IOERR where isCommit: .outcomeUnknown
            case .SQLITE_FULL: .full
            case .SQLITE_BUSY, .SQLITE_LOCKED: .unavailable("another process has locked it")
            case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG: .refused(detail)
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt(detail)
            case .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: .failed(detail)
            default: .misuse(detail)
            }
    }
}
