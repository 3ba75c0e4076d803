import CLinux
import Glibc

/// An open file, read and written at explicit offsets, so that several writers may share it.
///
/// Every call may block on the device: make it on a ``BlockingPool``. The file is closed when its last reference is
/// released; call ``close()`` only for its result.
public final class File: Sendable {
    let descriptor: Descriptor

    init(descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// Opens a path that the operator configured. Links are followed.
    ///
    /// For a name from a request or an origin use ``Directory/openFile(named:access:mode:)``.
    /// - Parameter mode: The permissions of a new file, before the umask.
    public convenience init(path: String, access: FileAccess, mode: UInt32 = 0o600) throws(SystemError) {
        let path = try PathRules.checkedPath(path)
        self.init(
            descriptor: try Descriptor(opening: "open") {
                Glibc.open(path, access.flags | O_CLOEXEC, access.creates ? mode_t(mode) : 0)
            }
        )
    }

    /// Size, identity, times and permissions.
    public func information() throws(SystemError) -> FileInformation {
        try descriptor.information()
    }

    /// Closes the file, or does nothing if it is closed already.
    ///
    /// After an error, bytes written since the last ``synchronizeData()`` may be lost; the file is closed anyway
    /// (`close(2)`). Closing during another call, or using the file afterwards, is a bug and traps.
    public func close() throws(SystemError) {
        try descriptor.close()
    }
}

extension File {
    /// Sets the exact permission bits, without the umask.
    public func setPermissions(_ permissions: UInt32) throws(SystemError) {
        try descriptor.use("fchmod") { fchmod($0, mode_t(permissions)) }
    }

    /// Gives the file to a group, which may be its own.
    func setGroup(_ group: UInt32) throws(SystemError) {
        try descriptor.use("fchown") { fchown($0, uid_t.max, group) }
    }

    /// Sets the access that the file does not have yet.
    ///
    /// - Parameter found: The attributes of the file as it is now.
    /// - Throws: `EPERM` if this process may not give the file to the group.
    public func setAccess(_ access: AccessAttributes, from found: FileInformation) throws(SystemError) {
        try descriptor.setAccess(access, from: found)
    }
}

extension Descriptor {
    func setAccess(_ access: AccessAttributes, from found: FileInformation) throws(SystemError) {
        do {
            try change(access, from: found)
        } catch  where !access.isRequired && error.isUnsupportedAccess {
            return
        }
    }

    private func change(_ access: AccessAttributes, from found: FileInformation) throws(SystemError) {
        var permissions = found.permissions
        // The group first, so that the permissions are never another group's. fchown(2) may clear bits of the mode.
        if let group = access.group, group != found.group {
            try use("fchown") { fchown($0, uid_t.max, group) }
            permissions = try information().permissions
        }
        guard permissions != access.permissions else { return }
        try use("fchmod") { fchmod($0, mode_t(access.permissions)) }
    }
}

extension File {
    /// `UTIME_OMIT` of utimensat(2), which Swift does not import: the time stays.
    private static let omitted = (1 << 30) - 2

    /// Sets the modification time, in nanoseconds since 1970-01-01 UTC. The time of the last access stays.
    ///
    /// - Returns: False if the file system does not allow it, or not this time.
    @discardableResult
    public func setModificationTime(nanoseconds: Int64) throws(SystemError) -> Bool {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let times = [
            timespec(tv_sec: 0, tv_nsec: Self.omitted),
            timespec(tv_sec: Int(seconds), tv_nsec: Int(rest)),
        ]
        do {
            try descriptor.use("futimens") { futimens($0, times) }
            return true
        } catch  where [EPERM, EACCES, EINVAL, EOVERFLOW, EOPNOTSUPP, ENOSYS].contains(error.code) {
            return false
        }
    }
}

extension File {
    /// Writes all of `bytes`, beginning at `offset`.
    ///
    /// - Throws: An error, possibly after some of the bytes were written, as when the device becomes full.
    public func write(_ bytes: RawSpan, at offset: Int64) throws(SystemError) {
        try bytes.withUnsafeBytes { (buffer) throws(SystemError) in
            var done = 0
            while done < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                let count = try descriptor.use("pwrite") {
                    pwrite($0, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
                }
                // Zero bytes without an error mean a full device. Without this check the loop would never end.
                if count == 0 { throw SystemError(code: ENOSPC, call: "pwrite") }
                done += count
            }
        }
    }

    /// Writes all of `bytes`, beginning at `offset`, like ``write(_:at:)-(RawSpan,_)``.
    public func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        try write(bytes.span.bytes, at: offset)
    }

    /// Fills `bytes` with the file's bytes from `offset`.
    ///
    /// - Returns: How many bytes were read; fewer than requested only at the end of the file.
    public func read(into bytes: inout MutableRawSpan, at offset: Int64) throws(SystemError) -> Int {
        try bytes.withUnsafeMutableBytes { (buffer) throws(SystemError) in
            try fill(buffer, at: offset)
        }
    }

    /// Fills `bytes` with the file's bytes from `offset`, like ``read(into:at:)-(MutableRawSpan,_)``.
    public func read(into bytes: inout [UInt8], at offset: Int64) throws(SystemError) -> Int {
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        return try read(into: &raw, at: offset)
    }

    /// Reads from the current position to the end. This works for pipes too.
    ///
    /// - Throws: `EFBIG` if there are more than `limit` bytes.
    public func readToEnd(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit + 1, 65_536))
        while true {
            let count = try descriptor.use("read") { number in
                buffer.withUnsafeMutableBytes { Glibc.read(number, $0.baseAddress, $0.count) }
            }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            if bytes.count > limit { throw SystemError(code: EFBIG, call: "read") }
        }
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try descriptor.use("pread") {
                pread($0, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            }
            if count == 0 { break }
            done += count
        }
        return done
    }
}

extension File {
    /// Waits until the bytes, and the file length that reading them needs, are on the device (`fdatasync(2)`).
    ///
    /// After an error, anything written since the last success may be lost. A second call may succeed without the bytes
    /// being durable, because the kernel reports a failed write-back once and then marks its pages clean. The bytes
    /// must be written again through a new descriptor.
    public func synchronizeData() throws(SystemError) {
        try descriptor.use("fdatasync") { fdatasync($0) }
    }

    /// Also waits for permissions and times (`fsync(2)`). An error has the same meaning as for ``synchronizeData()``.
    public func synchronize() throws(SystemError) {
        try descriptor.use("fsync") { fsync($0) }
    }

    /// Starts to write a range to the device, so that a later ``synchronizeData()`` takes less time.
    ///
    /// This is a hint, without durability: `sync_file_range(2)` writes no metadata and flushes no device cache. It does
    /// nothing if the file system does not support it.
    ///
    /// - Parameter length: 0 for all bytes from `offset` on.
    public func startWriteback(offset: Int64, length: Int64) throws(SystemError) {
        do {
            try descriptor.use("sync_file_range") {
                shim_sync_file_range($0, off_t(offset), off_t(length), UInt32(SHIM_SYNC_FILE_RANGE_WRITE))
            }
        } catch  where error.code == ENOSYS || error.code == ESPIPE || error.code == EOPNOTSUPP {
            // Without support, synchronizeData() does all of the work.
        }
    }
}

extension File {
    /// Duplicates the descriptor for a library that closes its own. The caller owns the result.
    ///
    /// Both descriptors share one position, so use only calls with an explicit offset.
    public func duplicateDescriptor() throws(SystemError) -> Int32 {
        try descriptor.use("fcntl") { fcntl($0, F_DUPFD_CLOEXEC, 0) }
    }
}

extension File {
    /// Allocates space on the device for the first `length` bytes. The file's size does not change.
    ///
    /// - Returns: False if the file system cannot allocate. Writing still works.
    /// - Throws: ``SystemError/isOutOfSpace`` if there is too little space, ``SystemError/isFileTooLarge`` if the
    ///   length exceeds the largest possible file.
    @discardableResult
    public func allocate(to length: Int64) throws(SystemError) -> Bool {
        // fallocate(2) refuses an empty range with EINVAL.
        guard length > 0 else { return true }
        do {
            try descriptor.use("fallocate") {
                shim_fallocate($0, CInt(SHIM_FALLOC_FL_KEEP_SIZE), 0, off_t(length))
            }
            return true
        } catch  where error.code == EOPNOTSUPP || error.code == ENOSYS {
            return false
        }
    }

    /// Sets the size: truncates the file, or extends it with a hole that reads as zeros.
    public func truncate(to length: Int64) throws(SystemError) {
        try descriptor.use("ftruncate") { ftruncate($0, off_t(length)) }
    }
}
