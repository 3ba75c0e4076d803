import Core
import HTTPFields
import Linux
import Transfer

/// The data folder of the service, locked for this process.
struct DataFolder {
    let path: String
    private let lock: FileLock
    /// nil if the file system cannot lock folders.
    private let folderLock: FileLock?
    /// The folders of finished files.
    let roots: RootFolders
    private let parts: Directory
    /// The folder `downloads`; nil if the settings name another one.
    private let downloads: Directory?
    /// The reserve that the database uses on a full disk.
    let reserve: SpaceReserve
    private let root: Directory

    /// Enough for a thousand pauses, cancellations and deletions.
    private static let reserveBytes: Int64 = 4 << 20
    /// Enough for a start: the shared memory of the write-ahead log, and the files of a migration.
    private static let leastFree: Int64 = 1 << 20

    /// Creates missing folders, takes the locks, and opens the roots.
    init(_ settings: Settings) throws {
        path = settings.dataDirectory
        do throws(SystemError) {
            root = try Self.makeRoot(path)
        } catch {
            throw CommandFailure(
                ExitStatus(opening: error),
                "the data folder '\(path)' cannot be made or opened: \(error.message)"
            )
        }
        do throws(FileLockError) {
            lock = try FileLock(path: "\(path)/lock")
            folderLock = try Self.lock(root)
        } catch {
            throw CommandFailure(locking: path, error)
        }
        reserve = SpaceReserve("reserve", of: Self.reserveBytes, in: root)
        // Without this space the database cannot be opened.
        if try root.freeBytes() < Self.leastFree { reserve.release() }
        parts = try root.openDirectory(relative: "parts", creating: true, mode: 0o700)
        try Self.emptyTemporaryFolder(in: root)
        if let group = settings.fileGroup { try Self.require(group, in: parts) }
        if settings.downloadsDirectory == nil {
            let access = AccessAttributes(permissions: settings.directoryMode, group: settings.fileGroup?.number)
            let downloads = try root.openDirectory(relative: "downloads", creating: true, access: access)
            guard downloads.identity.device == parts.identity.device else {
                throw CommandFailure(
                    .config,
                    """
                    '\(path)/downloads' and '\(path)/parts' lie on two file systems: a finished file could not be moved
                    name the folder in the setting downloads_dir
                    """
                )
            }
            self.downloads = downloads
        } else {
            downloads = nil
        }
        let own: Folders? =
            if let downloads {
                Folders(downloads: downloads, parts: parts, abilities: try? parts.probeAbilities())
            } else {
                nil
            }
        roots = try RootFolders(settings, data: root, dataPath: path, own: own)
    }

    private static let temporaryName = "tmp"

    /// The folder for SQLite's temporary files in the data folder at `path`.
    static func temporaryPath(in path: String) -> String { "\(path)/\(temporaryName)" }

    /// Creates the folder for temporary files, and removes what a killed process has left in it. On a full disk it may
    /// be missing.
    private static func emptyTemporaryFolder(in root: Directory) throws {
        do throws(SystemError) {
            let folder = try root.openDirectory(relative: temporaryName, creating: true, mode: 0o700)
            for entry in try folder.entries() { try folder.removeAll(entry) }
        } catch  where error.isOutOfSpace {
            // SQLite then uses the system's folders.
        } catch {
            throw error
        }
    }

    /// The absolute path; ``path`` if the system does not say it.
    var currentPath: String { (try? root.currentPath()) ?? path }

    /// Releases the locks.
    func release() {
        roots.release()
        folderLock?.release()
        lock.release()
    }

    /// The database file, readable only by its owner. SQLite gives the write-ahead log the same permissions.
    func databasePath() throws -> String {
        if try !root.exists("cormorant.db") { try requireFirstStart() }
        _ = try root.openFile(named: "cormorant.db", access: .createIfMissing, mode: 0o600)
        return "\(path)/cormorant.db"
    }

    /// Throws if the folder has traces of a lost database. With an empty database, its downloads would be lost
    /// silently, and their part files removed.
    func requireFirstStart() throws {
        var traces: [String] = []
        if try root.exists("key") { traces.append("key") }
        if try parts.entries().contains(where: { PartName($0) != nil }) { traces.append("parts") }
        if try downloads?.entries().contains(where: { !Self.isOfSystem($0) }) == true { traces.append("downloads") }
        guard !traces.isEmpty else { return }
        let found = traces.map { "'\(path)/\($0)'" }.joined(separator: ", ")
        throw CommandFailure(
            .config,
            """
            '\(path)/cormorant.db' is missing or empty, but a database was here: it left \(found)
            restore cormorant.db from a backup, or move these away to begin with an empty database
            """
        )
    }

    /// Whether an entry of a folder is none that a service has put there: file systems create `lost+found`, NAS devices
    /// and other machines leave folders and files of their own.
    private static func isOfSystem(_ name: String) -> Bool {
        let names: Set = [
            "lost+found", "@eaDir", "#recycle", "#snapshot", ".DS_Store", ".stfolder", ".stignore", ".Trashes",
            ".fseventsd", ".Spotlight-V100", "System Volume Information", "$RECYCLE.BIN", "Thumbs.db", "desktop.ini",
            ".snapshot", ".zfs",
        ]
        // macOS writes a file beside each other; NFS and FUSE keep files that are removed while they are open.
        return names.contains(name) || ["._", ".nfs", ".fuse_hidden", ".Trash-"].contains { name.hasPrefix($0) }
    }

    /// The key that encrypts credentials: the operator's, or one generated at the first start.
    func key(_ file: String?) throws -> [UInt8] {
        let expected = "64 hexadecimal digits"
        let text =
            try file.map { file in try Self.text(of: file, expecting: expected) { try SecretFile.read(path: file) } }
            ?? secret(named: "key", expecting: expected) { () throws(SystemError) in
                try RandomBytes.hexadecimal(count: 32)
            }
        guard let key = [UInt8](hexadecimal: text), key.count == 32 else {
            throw Self.unexpected(file ?? "\(path)/key", expecting: expected)
        }
        return key
    }

    /// A secret in this folder, generated at the first start and readable only by its owner.
    ///
    /// - Parameter expected: The expected content of the file, for error messages.
    func secret(
        named name: String,
        expecting expected: String,
        make: () throws(SystemError) -> String
    ) throws -> String {
        guard try !root.exists(name) else {
            return try Self.text(of: "\(path)/\(name)", expecting: expected) {
                try SecretFile.read(named: name, in: root)
            }
        }
        let text = try make()
        try SecretFile.create(text, named: name, in: root)
        return text
    }

    private static func text(of file: String, expecting expected: String, _ read: () throws -> Secret) throws -> String
    {
        do {
            let text = try read().text
            guard !text.isEmpty else { throw unexpected(file, expecting: expected) }
            return text
        } catch let error as SystemError where error.isNoShortText {
            throw unexpected(file, expecting: expected)
        }
    }

    private static func unexpected(_ file: String, expecting expected: String) -> CommandFailure {
        CommandFailure(
            .config,
            "the file '\(file)' does not contain \(expected)\nrestore it from a backup, or move it away"
        )
    }

    /// Throws if this process may not give its files to the group.
    private static func require(_ group: SystemGroup, in folder: Directory) throws {
        do throws(SystemError) {
            try folder.requireAccess(AccessAttributes(permissions: 0o600, group: group.number))
        } catch  where error.isOutOfSpace {
            // The service starts on a full disk. A download whose file cannot be given away fails later.
        } catch {
            throw CommandFailure(
                .permission,
                """
                file_group: files cannot be given to the group '\(group.text)': \(error.message)
                run the service as a member of this group, or set another one
                """
            )
        }
    }

    private static func lock(_ root: Directory) throws(FileLockError) -> FileLock? {
        do {
            return try FileLock.acquire(root)
        } catch .held(let process) {
            throw .held(byProcess: process)
        } catch {
            return nil
        }
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
