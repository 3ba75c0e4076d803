import GRDB
import Glibc

/// The SQLite library.
public enum SQLiteLibrary {
    /// Makes SQLite write its temporary files, such as those of large sorts, into a folder. Must be called before the
    /// first use of SQLite and before other threads exist (<https://www.sqlite.org/tempfiles.html>, section 5).
    ///
    /// Without it SQLite uses `/var/tmp` or `/tmp`, which a read-only root has not, and which may be small. The files
    /// are not kept in memory: the index of a million rows would not fit into a small container.
    public static func useTemporaryFolder(_ path: String) {
        unsafe setenv("SQLITE_TMPDIR", path, 1)
    }

    /// The version of the loaded library, such as `3.40.1`.
    public static func versionText() throws -> String {
        try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? "unknown"
    }
}
