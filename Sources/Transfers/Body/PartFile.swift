import Glibc
import Linux
import Model
import Synchronization

/// The file that a generation's bytes are written into.
final class PartFile: Sendable {
    let name: PartName
    let file: File
    /// Whether its name in the folder would survive the loss of power.
    private let isNameDurable: Atomic<Bool>

    private init(name: PartName, file: File, isNameDurable: Bool) {
        self.name = name
        self.file = file
        self.isNameDurable = Atomic(isNameDurable)
    }

    /// Makes the part file of a generation, empty, unless so many bytes would leave less free than the reserve.
    static func create(
        _ name: PartName,
        for bytes: Int64,
        _ engine: Engine
    ) async throws(AttemptInterruption) -> PartFile {
        let part = try await onDisk { () async throws(SystemError) in
            try await engine.pool.run { [folders = engine.folders, settings = engine.settings] () throws(SystemError) in
                try create(name, for: bytes, folders, reserve: settings.minFreeBytes)
            }
        }
        guard let part else { throw .failed(noRoom(for: bytes)) }
        return part
    }

    /// The same on the caller's thread.
    ///
    /// - Returns: nil where there is no room.
    static func create(
        _ name: PartName,
        for bytes: Int64,
        _ folders: Folders,
        reserve: Int64
    ) throws(SystemError) -> PartFile? {
        let file = try folders.parts.openFile(named: name.text, access: .createIfMissing, mode: 0o600)
        // First of all this gives back what an earlier attempt took.
        try file.truncate(to: 0)
        if reserve > 0, try folders.parts.freeBytes() - bytes < reserve { return nil }
        return PartFile(name: name, file: file, isNameDurable: false)
    }

    static func noRoom(for bytes: Int64) -> DownloadError {
        DownloadError(.diskFull, message: "The disk has no room for \(bytes) more bytes.")
    }

    /// Opens the part file, and says how long it is; nil where there is none.
    static func open(
        _ name: PartName,
        _ engine: Engine
    ) async throws(AttemptInterruption) -> (part: PartFile, size: Int64)? {
        try await onDisk { () async throws(SystemError) in
            try await engine.pool.run { [folders = engine.folders] () throws(SystemError) in
                do throws(SystemError) {
                    let file = try folders.parts.openFile(named: name.text, access: .update)
                    let size = try file.information().size
                    return (PartFile(name: name, file: file, isNameDurable: true), size)
                } catch  where error.isMissing || error.isNoPlainFile {
                    return nil
                }
            }
        }
    }

    /// Takes room on the disk for the whole, leaving the engine's reserve free beyond it.
    ///
    /// Room that an earlier attempt took for this file is its own, and not asked for again.
    func allocate(total: Int64, from position: Int64, _ engine: Engine) async throws(AttemptInterruption) {
        let reserve = engine.settings.minFreeBytes
        let hasRoom = try await onDisk { () async throws(SystemError) in
            try await engine.pool.run { [file, folders = engine.folders] () throws(SystemError) in
                let missing = max(total - (try file.information().allocatedBytes), 0)
                if missing > 0, try folders.parts.freeBytes() - missing < reserve { return false }
                try file.allocate(to: total)
                return true
            }
        }
        guard hasRoom else {
            throw .failed(Self.noRoom(for: total - position))
        }
    }

    /// Fails while less than the engine's reserve is free: what a body of unknown length may take is what is left.
    func requireReserve(_ engine: Engine) async throws(AttemptInterruption) {
        let free = try await onDisk { () async throws(SystemError) in
            try await engine.pool.run { [folders = engine.folders] () throws(SystemError) in
                try folders.parts.freeBytes()
            }
        }
        guard free >= engine.settings.minFreeBytes else {
            throw .failed(DownloadError(.diskFull, message: "The disk has no room for more."))
        }
    }

    /// Makes the bytes that were written before durable, and the file's name with them.
    func synchronizeData(_ engine: Engine) async throws(AttemptInterruption) {
        try await onDisk { () async throws(SystemError) in
            try await engine.pool.run { [file] () throws(SystemError) in try file.synchronizeData() }
            if !isNameDurable.load(ordering: .acquiring) {
                try await engine.directorySync.synchronize(engine.folders.parts)
                isNameDurable.store(true, ordering: .releasing)
            }
        }
    }
}

extension SystemError {
    /// Whether the name stands for something other than a file: a link, a folder, a pipe (`openat2(2)`).
    fileprivate var isNoPlainFile: Bool { [ELOOP, EISDIR, ENXIO].contains(code) }
}
