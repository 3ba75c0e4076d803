import Glibc

/// An exclusive lock on a file, held until ``release()`` or the end of the process, however it ends.
///
/// `flock(2)`: it belongs to the open file, so a second one in this process is refused too. The file tells who
/// has it and stays when the lock is released: removing it would let two processes lock two files of one name.
public final class FileLock: Sendable {
    let file: File

    /// Takes the lock at once or not at all, and writes this process's number into the file.
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

    /// Takes the lock on a folder: it holds though the lock file in it was removed. Nobody can read there who has it.
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

    /// Lets others have it. Does nothing the second time.
    public func release() {
        // The descriptor is gone, and with it the lock, even when closing reports a fault.
        try? file.close()
    }

    /// A note for people. On a full disk it is missing, and the lock holds all the same: the service must be
    /// able to start there.
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
    /// Takes the lock on a file of a folder that its last holder removes (``releaseRemoving(_:in:)``), so that nothing
    /// is left in a folder of the user's.
    ///
    /// Between opening the file and locking it, its holder may have removed it, and a third process may have made
    /// another of that name. So the lock counts only when the name still leads to the locked file.
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

    /// Removes the file, while the lock is still held, and lets others have it.
    public func releaseRemoving(_ name: String, in directory: Directory) {
        // A file that is left over costs nothing: the next holder removes it.
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
    /// Another has it: the process that wrote its number there last, or nil when none can be read.
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
