import Core
import Glibc
import HTTPFields
import Linux
import Synchronization
import TransferRules

@testable import Transfer

/// A place of finished files that is no folder: it keeps them in memory.
final class MemoryFiles: FinishedFiles {
    private struct Entry {
        let bytes: [UInt8]
        let identity: Core.FileIdentity
    }

    let root: RootName
    let partFolder: PartFolder
    let longestName = 255
    let unsupported: [String]? = nil
    let canReopen = true
    /// Whether its disk fails when it finishes a publication.
    let isFailing = Atomic<Bool>(false)
    private let locks: FilePathLocks
    private let entries = Mutex<[String: Entry]>([:])
    private let published = Atomic<Int64>(0)
    private let made = Mutex<[MemoryStorage]>([])

    init(_ root: RootName, parts: Directory, _ context: PlaceContext) {
        self.root = root
        locks = context.locks
        partFolder = PartFolder(
            parts,
            pool: context.pool,
            directorySync: context.directorySync,
            fileAccess: AccessAttributes(permissions: 0o600),
            context.settings.value
        )
    }

    /// The bytes of each file.
    var contents: [String: [UInt8]] { entries.withLock { $0.mapValues(\.bytes) } }

    /// The storages of all part files, in the order in which they were asked for.
    var storages: [MemoryStorage] { made.withLock { $0 } }

    func isCurrent() -> Bool { true }

    // MARK: - Part files

    func storage(of part: PartFile, for download: Download) -> any PartStorage {
        let storage = MemoryStorage(part)
        made.withLock { $0.append(storage) }
        return storage
    }

    func discardPart(_ part: PartName) async throws(FilesUnavailable) {
        do throws(SystemError) { try await partFolder.discard(part) } catch { throw FilesUnavailable(error) }
    }

    // MARK: - Publication

    func publish(
        _ part: VerifiedPart,
        of download: Download,
        _ checkpoint: Checkpoint,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile {
        let bytes = try await mappingDiskErrors { () async throws(SystemError) in
            try await partFolder.pool.run { [partFolder] () throws(SystemError) in
                try partFolder.directory.openFile(named: part.name.text, access: .read).readToEnd(limit: 1 << 30)
            }
        }
        let serial = published.wrappingAdd(1, ordering: .relaxed).newValue
        let identity = Core.FileIdentity.file(size: Int64(bytes.count), modified: serial)
        for name in download.fileName(checkpoint.source).candidates(for: download.id) {
            let path = PublishedFile.path(name, in: download.request.directory)
            let file = PublishedFile(path: path, root: root, digests: part.digests, identity: identity)
            if entry(at: path) != nil { continue }
            guard try await mappingSinkErrors({ try await checkpointSink.publish(file, checkpoint) }) else { continue }
            await locks.withLock(file.place) { put(Entry(bytes: bytes, identity: identity), at: path) }
            try? await discardPart(part.name)
            return file
        }
        throw .failed(.lostPart)
    }

    func resume(
        _ file: PublishedFile,
        _ blocks: [BlockDigest],
        of download: Download,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile {
        try requireDisk()
        guard has(file) else { throw .failed(.lostPart) }
        return file
    }

    func finishPlaced(
        _ file: PublishedFile,
        _ blocks: [BlockDigest],
        of download: Download,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile? {
        try requireDisk()
        return has(file) ? file : nil
    }

    private func requireDisk() throws(AttemptInterruption) {
        guard isFailing.load(ordering: .relaxed) else { return }
        throw .failed(TransferFailure(SystemError(code: EIO, call: "fsync")))
    }

    func recordExisting(
        _ name: FileName,
        expecting expected: Expected,
        algorithms: [DigestAlgorithm],
        of download: Download,
        _ checkpoint: Checkpoint,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile? {
        nil
    }

    func recordExisting(
        _ file: PublishedFile,
        of download: Download,
        _ checkpoint: Checkpoint,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile? {
        nil
    }

    func isUnchanged(_ file: PublishedFile) async throws(AttemptInterruption) -> Bool { has(file) }

    // MARK: - Finished files

    func open(_ file: PublishedFile) async throws(FilesUnavailable) -> FileReading? {
        guard let entry = entry(at: file.path), entry.identity == file.identity else { return nil }
        do throws(SystemError) {
            return .file(
                OpenedFile(
                    file: try await partFolder.unnamedFile(of: entry.bytes),
                    sizeBytes: entry.identity.sizeBytes,
                    modifiedAt: Timestamp(milliseconds: 0),
                    published: file
                )
            )
        } catch {
            throw FilesUnavailable(error)
        }
    }

    func state(of file: PublishedFile) async throws(FilesUnavailable) -> FileState {
        guard let entry = entry(at: file.path), entry.identity.sizeBytes == file.sizeBytes else { return .missing }
        return entry.identity == file.identity ? .same : .other
    }

    func remove(_ file: PublishedFile) async throws(FilesUnavailable) {
        if has(file) { put(nil, at: file.path) }
    }

    func discard(_ file: PublishedFile) async throws(FilesUnavailable) {
        if has(file) { put(nil, at: file.path) }
    }

    func move(_ file: PublishedFile, to path: String, replaces: Bool) async throws(FilesUnavailable) -> MoveResult {
        guard let entry = entry(at: file.path), entry.identity == file.identity else { return .missing }
        guard replaces || self.entry(at: path) == nil else { return .taken }
        put(nil, at: file.path)
        put(entry, at: path)
        return .moved
    }

    func hasMoved(_ file: PublishedFile, recordedAt: Timestamp) async throws(FilesUnavailable) -> Bool {
        file.movingTo.map { has(file.moved(to: $0)) } ?? false
    }

    private func entry(at path: String) -> Entry? { entries.withLock { $0[path] } }

    private func put(_ entry: Entry?, at path: String) { entries.withLock { $0[path] = entry } }

    private func has(_ file: PublishedFile) -> Bool { entry(at: file.path)?.identity == file.identity }
}

/// Stores the bytes of a part in memory, in whole pieces only.
final class MemoryStorage: PartStorage {
    static let piece: Int64 = 100_000

    let part: PartFile
    private let stored = Mutex<[UInt8]>([])

    init(_ part: PartFile) {
        self.part = part
    }

    /// The stored bytes, in the order in which they came.
    var bytes: [UInt8] { stored.withLock { $0 } }

    func makeDurable(_ written: FlushSnapshot) async throws(AttemptInterruption) -> FlushSnapshot {
        let whole = written.ranges.compactMap { range -> Range<Int64>? in
            let end = range.upperBound / Self.piece * Self.piece
            return end > range.lowerBound ? range.lowerBound..<end : nil
        }
        try await mappingDiskErrors { () async throws(SystemError) in
            for range in whole {
                var bytes = [UInt8](repeating: 0, count: range.count)
                _ = try part.file.read(into: &bytes, at: range.lowerBound)
                stored.withLock { $0 += bytes }
            }
        }
        return FlushSnapshot(ranges: whole)
    }
}

extension PartFolder {
    /// A file that has no name any more.
    fileprivate func unnamedFile(of bytes: [UInt8]) async throws(SystemError) -> File {
        try await pool.run { [directory] () throws(SystemError) in
            let file = try directory.openFile(named: "unnamed", access: .create)
            try directory.remove("unnamed")
            try file.write(bytes, at: 0)
            return file
        }
    }
}
