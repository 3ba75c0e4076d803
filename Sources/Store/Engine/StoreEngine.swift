/// A database that the store keeps its records in. The store and its rules are the same above every engine
/// (docs/decisions/0062).
protocol StoreEngine: AnyObject, Sendable {
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
