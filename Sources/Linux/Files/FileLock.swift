import Glibc

/// An exclusive lock on a file, held until ``release()`` or the end of the process, even a crash.
///
/// The lock belongs to the open file (`flock(2)`), so a second lock in this process is refused too. The file contains
/// the holder's process ID and stays after the release: if it were removed, two processes could lock two files of one
/// name.
public final class FileLock: Sendable {
    let file: File

    /// Acquires the lock or fails at once. Writes this process's ID to the file.
    public convenience init(path: String) throws(FileLockError) {
        try self.init(try Self.available { () throws(SystemError) in try File(path: path, access: .createIfMissing) })
    }

    init(_ file: File) throws(FileLockError) {
        self.file = file
        do {
            try file.descriptor.use("flock") { flock($0, LOCK_EX | LOCK_NB) }
        } catch  where error.code == EWOULDBLOCK {
            throw .held(byProcess: Self.holder(in: file))
        } catch {
            throw .unavailable(error)
        }
        try? writeHolder()
    }

    /// Acquires the lock on a folder. It stays effective if the lock file inside is removed. It does not record its
    /// holder.
    ///
    /// A network file system that can lock only files open for writing does not support it: `EBADF` (flock(2), "NFS
    /// details").
    public static func acquire(_ directory: Directory) throws(FileLockError) -> FileLock {
        try FileLock(
            try available { () throws(SystemError) in
                File(descriptor: try directory.openBeneath(".", flags: O_RDONLY | O_DIRECTORY))
            }
        )
    }

    static func available<Value>(_ body: () throws(SystemError) -> Value) throws(FileLockError) -> Value {
        do {
            return try body()
        } catch {
            throw .unavailable(error)
        }
    }

    /// Releases the lock, or does nothing if it is released already.
    public func release() {
        // close(2) releases the descriptor and the lock even if it reports an error.
        try? file.close()
    }

    /// Writes the process ID for the operator's information. On a full disk the file stays empty, but the lock is held,
    /// so that the service can start there.
    private func writeHolder() throws(SystemError) {
        try file.truncate(to: 0)
        try file.write(Array("\(getpid())\n".utf8), at: 0)
    }

    private static func holder(in file: File) -> Int32? {
        guard let bytes = try? file.readToEnd(limit: 32) else { return nil }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

extension FileLock {
    /// Acquires the lock on a file that its holder removes at the end (``releaseRemoving(_:in:)``), so that no lock
    /// file stays in a user's folder.
    ///
    /// Between the open and the lock, the holder may have removed the file, and a third process may have created a new
    /// file of the same name. So the lock counts only if the name still refers to the locked file.
    public static func acquire(_ name: String, in directory: Directory) throws(FileLockError) -> FileLock {
        while true {
            let file = try available { () throws(SystemError) in
                try directory.openFile(named: name, access: .createIfMissing)
            }
            let lock = try FileLock(file)
            if try available({ () throws(SystemError) in try directory.leads(name, to: file) }) { return lock }
            lock.release()
        }
    }

    /// Removes the file while the lock is held, then releases the lock.
    public func releaseRemoving(_ name: String, in directory: Directory) {
        // A file that cannot be removed is harmless: the next holder removes it.
        _ = try? directory.remove(name)
        release()
    }
}

extension Directory {
    fileprivate func leads(_ name: String, to file: File) throws(SystemError) -> Bool {
        let identity = try file.information().identity
        do {
            return try information(of: name).identity == identity
        } catch  where error.isMissing {
            return false
        }
    }
}

/// Why a ``FileLock`` was not acquired.
public enum FileLockError: Error, Hashable, Sendable {
    /// Another process holds the lock. The number is its process ID from the file, or nil if the file has none.
    case held(byProcess: Int32?)
    /// The file cannot be opened or locked.
    case unavailable(SystemError)
}

extension FileLockError: CustomStringConvertible {
    /// A text for the operator.
    public var description: String {
        switch self {
        case .held(let process?): "the lock is held by process \(process)"
        case .held(nil): "the lock is held by another process"
        case .unavailable(let error): error.message
        }
    }
}
