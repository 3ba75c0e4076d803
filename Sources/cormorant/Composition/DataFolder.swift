import Linux
import Model

/// The folder that holds everything the service keeps, locked for this process.
struct DataFolder {
    let path: String
    let lock: FileLock
    let downloads: Directory
    let parts: Directory
    /// Room for the database on a disk that is full otherwise.
    let reserve: SpaceReserve
    private let root: Directory

    /// The records of a thousand pauses, cancellations and deletions.
    private static let reserveBytes: Int64 = 4 << 20
    /// What a start takes: the shared memory of the database's log, and the files of an upgrade.
    private static let leastFree: Int64 = 1 << 20

    /// Makes what is missing of the folder, and takes its lock.
    ///
    /// - Parameter folderMode: The permissions of the folder for finished files, where it is made.
    init(path: String, folderMode: UInt32 = 0o700) throws {
        self.path = path
        do throws(SystemError) {
            root = try Self.makeRoot(path)
        } catch {
            throw CommandFailure(
                ExitStatus(opening: error),
                "the data folder '\(path)' cannot be made or opened: \(error.message)"
            )
        }
        lock = try FileLock(path: "\(path)/lock")
        reserve = SpaceReserve("reserve", of: Self.reserveBytes, in: root)
        // The database cannot even be opened without any.
        if try root.freeBytes() < Self.leastFree { reserve.release() }
        downloads = try root.openDirectory(relative: "downloads", creating: true, mode: folderMode)
        parts = try root.openDirectory(relative: "parts", creating: true, mode: 0o700)
        guard downloads.identity.device == parts.identity.device else {
            throw CommandFailure(
                .config,
                "'\(path)/downloads' and '\(path)/parts' lie on two file systems: a finished file could not be moved"
            )
        }
    }

    /// The database file, readable by its owner alone; SQLite gives its log the same permissions.
    func databasePath() throws -> String {
        _ = try root.openFile(named: "cormorant.db", access: .createIfMissing, mode: 0o600)
        return "\(path)/cormorant.db"
    }

    /// The key of the credentials: the operator's own, or one that is made at the first start.
    func key(_ file: String?) throws -> [UInt8] {
        let text =
            try file.map { path throws(SystemError) in try SecretFile.read(path: path).text }
            ?? secret(named: "key") { () throws(SystemError) in try RandomBytes.hexadecimal(count: 32) }
        guard let key = [UInt8](hexadecimal: text), key.count == 32 else {
            throw CommandFailure(.config, "the key file does not hold 64 hexadecimal digits")
        }
        return key
    }

    /// A secret of this folder, made at the first start and readable by its owner alone.
    func secret(named name: String, make: () throws(SystemError) -> String) throws(SystemError) -> String {
        if try root.exists(name) { return try SecretFile.read(named: name, in: root).text }
        let text = try make()
        try SecretFile.create(text, named: name, in: root)
        return text
    }

    private static func makeRoot(_ path: String) throws(SystemError) -> Directory {
        do {
            return try Directory(path: path)
        } catch  where error.isMissing {
            let isAbsolute = path.hasPrefix("/")
            let parts = path.split(separator: "/").filter { $0 != "." }
            let root = try Directory(path: isAbsolute ? "/" : ".")
            return try root.openDirectory(relative: parts.joined(separator: "/"), creating: true, mode: 0o700)
        }
    }
}
