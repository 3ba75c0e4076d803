import Linux
import Store

/// A copy of the database, of a running service or a stopped one.
public struct Backup: Sendable {
    public let sizeBytes: Int64
    /// The number of downloads in the copy.
    public let downloads: Int
    /// The file with the key to the credentials in the copy. It is not a part of the copy.
    public let keyFile: String

    /// Copies the database as of one commit to `path`. The file has the mode 0600. It gets its name once it is whole,
    /// checked and on the disk. What a backup to this file has left that was killed is removed.
    ///
    /// - Parameter replaces: Whether a file with this name is replaced.
    /// - Throws: ``CommandFailure``. Nothing was written then.
    public init(of resolved: ResolvedSettings, to path: String, replaces: Bool) throws {
        let source = try DataFile(resolved.settings)
        let target = try BackupTarget(path, replaces: replaces)
        try target.requireOutside(of: source)
        let copied = try target.fill { (path) throws in
            do throws(StoreError) {
                return try source.data.copy(to: path)
            } catch {
                throw CommandFailure(reading: source.folder, error)
            }
        }
        (sizeBytes, downloads) = (copied.sizeBytes, copied.value)
        keyFile = resolved.settings.keyFile ?? "\(source.folder)/key"
    }
}

/// The place of a new file.
private struct BackupTarget {
    let path: String
    let replaces: Bool
    private let folderPath: String
    private let folder: Directory
    private let name: String

    init(_ path: String, replaces: Bool) throws(CommandFailure) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let last = parts.last, !last.isEmpty, last != ".", last != ".." else {
            throw CommandFailure(.usage, "'\(path)' is the name of a folder. Expected the name of a file.")
        }
        (self.path, self.replaces, name) = (path, replaces, String(last))
        let above = parts.dropLast().joined(separator: "/")
        folderPath = parts.count == 1 ? "." : above.isEmpty ? "/" : above
        do {
            folder = try Directory(path: folderPath)
        } catch {
            throw Self.failure(folderPath, error)
        }
        try requireFree()
    }

    private func requireFree() throws(CommandFailure) {
        let kind: FileKind
        do throws(SystemError) {
            kind = try folder.information(of: name).kind
        } catch  where error.isMissing {
            return
        } catch {
            throw Self.failure(path, error)
        }
        guard kind != .directory else {
            throw CommandFailure(.usage, "'\(path)' is a folder. Expected the name of a file.")
        }
        guard replaces else { throw Self.taken(path) }
    }

    /// Throws if the copy would take the place of the database or of its log.
    func requireOutside(of source: DataFile) throws(CommandFailure) {
        guard let data = try? Directory(path: source.folder), data.identity == folder.identity,
            name.hasPrefix(DataFile.name)
        else { return }
        throw CommandFailure(.usage, "'\(path)' is a file of the database itself. Name another one.")
    }

    /// Creates a file, lets `body` write it by its path, and gives it its name.
    func fill<Value>(_ body: (String) throws -> Value) throws -> (value: Value, sizeBytes: Int64) {
        let lock = try lock()
        defer { lock?.releaseRemoving(lockName, in: folder) }
        // Without the lock they may be another backup's.
        if lock != nil { removeLeftovers() }
        do {
            let temporary = "\(temporaryPrefix)\(try RandomBytes.hexadecimal(count: 4))\(Self.temporarySuffix)"
            let file = try folder.openFile(named: temporary, access: .create, mode: 0o600)
            do {
                try file.setPermissions(0o600)
                let value = try body("\(folderPath)/\(temporary)")
                // SQLite removes them, and does not say if it cannot.
                for end in Self.endsOfSQLite { try folder.remove(temporary + end) }
                try file.synchronize()
                let size = try file.information().size
                try folder.rename(temporary, to: folder, name, replacing: replaces)
                try folder.synchronize()
                return (value, size)
            } catch {
                remove(temporary)
                throw error
            }
        } catch let error as SystemError {
            throw error.isExists ? Self.taken(path) : Self.failure(path, error)
        }
    }

    private static let temporarySuffix = ".part"
    private var temporaryPrefix: String { ".\(name)." }
    private var lockName: String { ".\(name).lock" }

    /// Prevents a second backup to the same file.
    ///
    /// - Returns: nil if there are no locks in the folder, or if it fails, which the copy finds too.
    private func lock() throws(CommandFailure) -> FileLock? {
        do throws(FileLockError) {
            return try FileLock.acquire(lockName, in: folder)
        } catch {
            guard case .held = error else { return nil }
            throw CommandFailure(.temporary, "'\(path)' is being written by another backup. Wait for its end.")
        }
    }

    /// What SQLite appends to the name of a database for the files that it puts beside it.
    private static let endsOfSQLite = ["-journal", "-wal", "-shm"]

    /// Removes the unfinished copies of backups that were killed.
    private func removeLeftovers() {
        for entry in (try? folder.entries()) ?? [] where entry.hasPrefix(temporaryPrefix) {
            let rest = entry.dropFirst(temporaryPrefix.count)
            guard rest.prefix(8).count == 8, rest.prefix(8).allSatisfy(\.isHexDigit),
                ([""] + Self.endsOfSQLite).contains(where: { rest.dropFirst(8) == Self.temporarySuffix + $0 })
            else { continue }
            _ = try? folder.remove(entry)
        }
    }

    /// Removes an unfinished copy.
    private func remove(_ temporary: String) {
        for end in [""] + Self.endsOfSQLite { _ = try? folder.remove(temporary + end) }
    }

    private static func taken(_ path: String) -> CommandFailure {
        CommandFailure(.cannotCreate, "'\(path)' exists; --force replaces it")
    }

    private static func failure(_ path: String, _ error: SystemError) -> CommandFailure {
        let status: ExitStatus = error.isOutOfSpace || error.isInputOutput ? .inputOutput : ExitStatus(opening: error)
        return CommandFailure(status, "'\(path)' cannot be written: \(error.message)")
    }
}
