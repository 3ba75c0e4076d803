import API
import Core
import HTTPServer
import Service
public import Store
public import Transfer
import UnixSignals

/// The storage locations of an ``Application``.
public struct ApplicationFolder: Sendable {
    public var databasePath: String
    /// The roots of finished files, with ``RootName/downloads``.
    public var roots: [Root]
    /// The disk space that is released when the disk is full.
    public var reserve = StoreReserve.none
    /// Called if the database has no table yet. If it throws, no table is created.
    public var requireFirstStart: @Sendable () throws -> Void = {}
    /// Returns the key that encrypts credentials. Called after the database was opened: a key without a database means
    /// that the database was lost.
    public var key: @Sendable () throws -> [UInt8]

    public init(
        databasePath: String,
        roots: [Root],
        key: @escaping @Sendable () throws -> [UInt8]
    ) {
        self.databasePath = databasePath
        self.roots = roots
        self.key = key
    }
}
