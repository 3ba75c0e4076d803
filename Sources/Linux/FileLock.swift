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
    public static func take(_ directory: Directory) throws(FileLockError) -> FileLock {
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
