import Core
import Linux

/// The local folder of part files. Its operations run in the blocking pool and within the free disk space.
final class PartFolder: Sendable {
    let directory: Directory
    let pool: BlockingPool
    let directorySync: DirectorySync
    let space: SpaceReservations
    let recentParts = RecentPartFiles()
    /// The access to a finished file.
    let fileAccess: AccessAttributes

    init(
        _ directory: Directory,
        pool: BlockingPool,
        directorySync: DirectorySync,
        fileAccess: AccessAttributes,
        _ settings: EngineSettings
    ) {
        self.directory = directory
        self.pool = pool
        self.directorySync = directorySync
        self.fileAccess = fileAccess
        space = SpaceReservations(
            low: settings.minFreeBytes,
            high: settings.resumeFreeBytes ?? settings.minFreeBytes.addingTwentieth
        ) { () throws(SystemError) in try directory.freeBytes() }
    }

    /// Removes a part file, or any other entry with its name. A missing entry is no error.
    func discard(_ part: PartName) async throws(SystemError) {
        _ = try await pool.run { [directory] () throws(SystemError) in try directory.removeAll(part.text) }
    }

    /// The names in the folder.
    func names() async throws(SystemError) -> [String] {
        try await pool.run { [directory] () throws(SystemError) in try directory.entries() }
    }
}

extension Int64 {
    fileprivate var addingTwentieth: Int64 {
        let (sum, overflow) = addingReportingOverflow(self / 20)
        return overflow ? .max : sum
    }
}
