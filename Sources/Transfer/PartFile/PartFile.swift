import Core
import Glibc
import HTTPFields
import Linux
import Synchronization
import TransferRules

/// The file that holds the bytes of one generation.
final class PartFile: Sendable {
    let name: PartName
    let file: File
    private let folder: PartFolder
    /// The attributes of the file when it was opened; nil for a new file with the access of a finished one.
    private let opened: FileInformation?
    /// Whether its directory entry would survive a power loss.
    private let isNameDurable: Atomic<Bool>
    /// The space still to be used, if the file system cannot allocate it in advance.
    private let reservation = Mutex<SpaceReservation?>(nil)
    private let total = Atomic<Int64>(0)
    /// The first flush error; later flushes fail with it too.
    private let flushFailure = Mutex<SystemError?>(nil)

    private init(
        _ folder: PartFolder,
        name: PartName,
        file: File,
        opened: FileInformation?,
        isNameDurable: Bool
    ) {
        self.folder = folder
        self.name = name
        self.file = file
        self.opened = opened
        self.isNameDurable = Atomic(isNameDurable)
    }

    /// Creates the empty part file of a generation, if `bytes` of disk space are free.
    static func create(
        _ name: PartName,
        for bytes: Int64,
        _ folder: PartFolder
    ) async throws(AttemptInterruption) -> PartFile {
        let part = try await mappingDiskErrors { () async throws(SystemError) in
            try await folder.pool.run { () throws(SystemError) in try createNow(name, for: bytes, folder) }
        }
        guard let part else { throw .failed(try await noRoom(for: bytes, of: bytes, folder)) }
        return part
    }

    /// Creates the part file on the caller's thread.
    ///
    /// - Returns: nil if there is not enough space.
    private static func createNow(
        _ name: PartName,
        for bytes: Int64,
        _ folder: PartFolder
    ) throws(SystemError) -> PartFile? {
        let file = try make(name, folder.directory)
        // First frees the space that an earlier attempt used. A new file has none.
        let found = try file.information()
        if found.size > 0 || found.allocatedBytes > 0 { try file.truncate(to: 0) }
        if folder.space.low > 0, try folder.space.reserve(bytes) == nil { return nil }
        return PartFile(folder, name: name, file: file, opened: found, isNameDurable: false)
    }

    /// Creates the part file for a whole body in memory, on the caller's thread. Usually it has the access of a
    /// finished file from its creation, which saves system calls for each of many small files.
    ///
    /// - Returns: nil if there is not enough space.
    static func create(
        _ name: PartName,
        for bytes: Int64,
        with access: AccessAttributes,
        _ folder: PartFolder
    ) throws(SystemError) -> PartFile? {
        guard access.isGivenAtCreation else { return try createNow(name, for: bytes, folder) }
        let file: File
        do throws(SystemError) {
            file = try folder.directory.openFile(named: name.text, access: .create, mode: access.permissions)
        } catch  where error.isExists {
            return try createNow(name, for: bytes, folder)
        }
        if folder.space.low > 0, try folder.space.reserve(bytes) == nil { return nil }
        return PartFile(folder, name: name, file: file, opened: nil, isNameDurable: false)
    }

    /// Opens or creates the file. Any other kind of entry with this name is removed: the folder belongs to the service.
    private static func make(_ name: PartName, _ directory: Directory) throws(SystemError) -> File {
        do {
            return try directory.openFile(named: name.text, access: .createIfMissing, mode: 0o600)
        } catch  where error.isNoPlainFile {
            try directory.removeAll(name.text)
            return try directory.openFile(named: name.text, access: .create, mode: 0o600)
        }
    }

    static func noRoom(for bytes: Int64) -> TransferFailure {
        var failure = TransferFailure(
            DownloadError(.diskFull, message: "The disk has no room for \(bytes) more bytes.")
        )
        failure.missingBytes = bytes
        return failure
    }

    /// Opens the part file and returns it with its length in bytes; nil if there is none.
    static func open(
        _ name: PartName,
        _ folder: PartFolder
    ) async throws(AttemptInterruption) -> (part: PartFile, size: Int64)? {
        try await mappingDiskErrors { () async throws(SystemError) in
            try await folder.pool.run { () throws(SystemError) in
                do throws(SystemError) {
                    let file = try folder.directory.openFile(named: name.text, access: .update)
                    let found = try file.information()
                    return (PartFile(folder, name: name, file: file, opened: found, isNameDurable: true), found.size)
                } catch  where error.isMissing || error.isNoPlainFile {
                    return nil
                }
            }
        }
    }

    /// Allocates disk space for the whole file, and leaves the configured minimum free.
    ///
    /// Space that an earlier attempt allocated for this file counts as allocated.
    func allocate(total: Int64, from position: Int64) async throws(AttemptInterruption) {
        let hasRoom = try await mappingDiskErrors { () async throws(SystemError) in
            try await folder.pool.run { [self] () throws(SystemError) in try reserveSpace(for: total) }
        }
        guard hasRoom else {
            throw .failed(try await Self.noRoom(for: total - position, of: total, folder))
        }
    }

    /// The failure for a lack of space. A file larger than the whole disk fails permanently.
    static func noRoom(
        for rest: Int64,
        of total: Int64,
        _ folder: PartFolder
    ) async throws(AttemptInterruption) -> TransferFailure {
        let size = try await mappingDiskErrors { () async throws(SystemError) in
            try await folder.pool.run { () throws(SystemError) in try folder.directory.fileSystemBytes() }
        }
        guard total > size else { return noRoom(for: rest) }
        return TransferFailure(
            DownloadError(.tooLarge, message: "The file has \(total) bytes, and the disk \(size).")
        )
    }

    private func reserveSpace(for total: Int64) throws(SystemError) -> Bool {
        let missing = max(total - (try file.information().allocatedBytes), 0)
        reservation.withLock { $0 = nil }
        guard missing > 0 else { return true }
        guard let reserved = try folder.space.reserve(missing) else { return false }
        // Allocated space is no longer free. If the file system cannot allocate, the space stays reserved until it is
        // written.
        if try !file.allocate(to: total) { reservation.withLock { $0 = reserved } }
        self.total.store(total, ordering: .relaxed)
        return true
    }

    /// Releases the reservation of bytes that were written.
    private func shrinkReservation() throws(SystemError) {
        guard let reserved = reservation.withLock({ $0 }) else { return }
        reserved.shrink(max(total.load(ordering: .relaxed) - (try file.information().allocatedBytes), 0))
    }

    /// Runs a flush, unless an earlier one failed. The kernel reports a lost write only once, and the next flush
    /// succeeds without those bytes (fsync(2)). The next attempt reopens the file and fetches the unrecorded bytes
    /// again.
    func flushing(_ body: () throws(SystemError) -> Void) throws(SystemError) {
        if let failure = flushFailure.withLock({ $0 }) { throw failure }
        do throws(SystemError) {
            try body()
        } catch {
            flushFailure.withLock { $0 = error }
            throw error
        }
    }

    /// Starts to write a range to the device, or all bytes if the length is 0 (`sync_file_range(2)`).
    ///
    /// It is only a hint to the kernel. The flush that follows reports the errors.
    func startWriteback(offset: Int64 = 0, length: Int64 = 0) {
        try? file.startWriteback(offset: offset, length: length)
    }

    /// Makes all bytes written so far durable, and the file's directory entry.
    private func synchronizeData() async throws(AttemptInterruption) {
        try await mappingDiskErrors { () async throws(SystemError) in
            try await folder.pool.run { [self] () throws(SystemError) in
                try flushing { () throws(SystemError) in try file.synchronizeData() }
                try shrinkReservation()
            }
            if !isNameDurable.load(ordering: .acquiring) {
                try await folder.directorySync.synchronize(folder.directory)
                isNameDurable.store(true, ordering: .releasing)
            }
        }
    }
}

/// A part file on the disk of its finished file: bytes are durable once they are flushed.
extension PartFile: PartStorage {
    var part: PartFile { self }

    func makeDurable(_ written: FlushSnapshot) async throws(AttemptInterruption) -> FlushSnapshot {
        try await synchronizeData()
        return written
    }
}

extension SystemError {
    /// Whether the name belongs to a symbolic link, a directory or a pipe (openat2(2)).
    fileprivate var isNoPlainFile: Bool { [ELOOP, EISDIR, ENXIO].contains(code) }
}

extension PartFile {
    /// Sets the final size, access and modification time of the part file, and makes it durable.
    ///
    /// - Parameter modifiedNanoseconds: The modification time; nil for that of the last write.
    func seal(
        size: Int64,
        digests: [Digest],
        modifiedNanoseconds: Int64?
    ) async throws(AttemptInterruption) -> VerifiedPart {
        try await mappingDiskErrors { () async throws(SystemError) in
            try await folder.pool.run { [access = folder.fileAccess] () throws(SystemError) in
                try self.seal(size: size, digests: digests, modifiedNanoseconds: modifiedNanoseconds, access)
            }
        }
    }

    /// Seals the part file on the caller's thread.
    func seal(
        size: Int64,
        digests: [Digest],
        modifiedNanoseconds: Int64?,
        _ access: AccessAttributes
    ) throws(SystemError) -> VerifiedPart {
        try setAttributes(modifiedNanoseconds: modifiedNanoseconds, access)
        try flushing { () throws(SystemError) in try file.synchronize() }
        return try sealFlushed(size: size, digests: digests, modifiedNanoseconds: modifiedNanoseconds, access)
    }

    /// Sets access and modification time before the flush, so that they are durable with the bytes.
    func setAttributes(modifiedNanoseconds: Int64?, _ access: AccessAttributes) throws(SystemError) {
        // Only the service uses the file, so its access is still as it was found.
        if let opened { try file.setAccess(access, from: opened) }
        if let modifiedNanoseconds { try file.setModificationTime(nanoseconds: modifiedNanoseconds) }
    }

    /// Seals the part file after its flush, on the caller's thread.
    func sealFlushed(
        size: Int64,
        digests: [Digest],
        modifiedNanoseconds: Int64?,
        _ access: AccessAttributes
    ) throws(SystemError) -> VerifiedPart {
        // Read after the flush: a network file system may set the modification time then.
        var information = try file.information()
        // A default ACL of the folder changes the access of a new file (acl(5)).
        let hasAccess = opened != nil || access.isAccess(of: information)
        if information.size != size || !hasAccess {
            if !hasAccess { try file.setAccess(access, from: information) }
            if information.size != size { try file.truncate(to: size) }
            if let modifiedNanoseconds { try file.setModificationTime(nanoseconds: modifiedNanoseconds) }
            try flushing { () throws(SystemError) in try file.synchronize() }
            information = try file.information()
        }
        return VerifiedPart(name: name, digests: digests, identity: Core.FileIdentity(information))
    }
}
