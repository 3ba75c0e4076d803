import GRDB

/// SQLite as a whole.
public enum SQLiteLibrary {
    /// The version of the library that is loaded, such as `3.40.1`.
    public static func versionText() throws -> String {
        try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? "unknown"
    }
}
