import Glibc

/// An exclusive lock on a file, held until ``release()`` or the end of the process, however it ends.
///
/// `flock(2)`: it belongs to the open file, so a second one in this process is refused too. The file has the number of
/// its holder and stays after the release: removing it would let two processes lock two files of one name.
public final class FileLock: Sendable {
    let file: File

    /// Acquires the lock at once or fails, and writes this process's number into the file.
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

    /// Acquires the lock on a folder, which holds even if the lock file in it is removed. It does not say who holds it.
    ///
    /// A network file system that locks only what is open for writing has none (flock(2), "NFS details"): `EBADF`.
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

    /// Releases the lock. A second call does nothing.
    public func release() {
        // The descriptor and the lock are gone even if closing reports an error.
        try? file.close()
    }

    /// The number is for people. On a full disk it is missing, but the lock holds: the service must be able to start
    /// there.
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
    /// Acquires the lock on a file that its last holder removes (``releaseRemoving(_:in:)``), so that nothing remains
    /// in a user's folder.
    ///
    /// Between opening and locking the file, its holder may have removed it, and a third process may have created
    /// another of that name. So the lock counts only if the name still leads to the locked file.
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
        // A remaining file is harmless: the next holder removes it.
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

/// Why a ``FileLock`` was not taken.
public enum FileLockError: Error, Hashable, Sendable {
    /// Another process holds it: the number in the file, or nil if there is none.
    case held(byProcess: Int32?)
    /// The file cannot be opened or locked.
    case unavailable(SystemError)
}

extension FileLockError: CustomStringConvertible {
    /// For a person.
    public var description: String {
        switch self {
        case .held(let process?): "the lock is held by process \(process)"
        case .held(nil): "the lock is held by another process"
        case .unavailable(let error): error.message
        }
    }
}
