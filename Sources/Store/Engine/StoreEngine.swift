/// A database that the store keeps its records in. The store and its rules are the same above every engine
/// (docs/decisions/0062).
///
/// One process at a time uses a database. A file is held by the lock of its data folder. An engine whose database has
/// no folder holds a lock there for its whole life.
protocol StoreEngine: AnyObject, Sendable {
    /// Whether a row is found by its key within microseconds, so that a caller may do it on its own thread.
    var isLocal: Bool { get }

    /// Runs `body` in the transaction of the only writer. Blocks, so it is called on the writer's thread.
    ///
    /// - Parameter body: Returns whether to commit. If it returns false or throws, nothing is written.
    /// - Throws: ``StoreError`` for an error of the database, also of the commit itself; errors of `body` unchanged.
    func write(_ body: (any Database) throws -> Bool) throws

    /// Reserves the space for vital records again if it was released.
    ///
    /// - Returns: Whether records that are not vital may be written.
    func restoreReserve() -> Bool

    /// Releases the reserved space, so that vital records can be written although the disk is full.
    func releaseReserve()

    /// Opens a connection that only reads.
    func openReader() throws -> any ReadingConnection

    /// Puts all data into the database file, if the engine has one. Called on the writer's thread.
    func truncateLog()
}

/// A connection that only reads. One read at a time uses it.
protocol ReadingConnection: AnyObject, Sendable {
    /// Runs `body`, in which each statement sees one commit.
    ///
    /// - Throws: ``StoreError`` for an error of the database; errors of `body` unchanged.
    func read<Value>(_ body: (any Database) throws -> Value) throws -> Value

    /// Runs `body`, in which all statements see the same commit.
    ///
    /// - Throws: As ``read(_:)``.
    func readSnapshot<Value>(_ body: (any Database) throws -> Value) throws -> Value
}
