import Core
import Linux
import Logging
import TestSupport
import Testing
import Transfer
import TransferSupport

@testable import Application
@testable import Service
@testable import Store
@testable import cormorant

/// What a sink keeps for the next attempt.
struct Kept: Equatable {
    var generation: Int
    var etag: String?
    var totalBytes: Int64?
    var segments: [Segment]
    var blocks: [BlockDigest] = []
    var hostRefusesRanges: Bool
    var mismatches: Int
}

/// A sink of one download that has just begun, and a way to see what it keeps.
protocol CheckpointSinkScene: Sendable {
    var sink: any CheckpointSink { get }
    /// To be asked once, at the end of a test: it may take the download out of the sink's hands.
    func kept() async throws -> Kept
    /// The file that was published last.
    func published() async throws -> PublishedFile?
    /// Lets no write of the sink succeed. To be called before the first one.
    func refuseWrites() throws
    func isRefusal(_ error: any Error) -> Bool
}

/// The implementations of ``CheckpointSink``.
enum CheckpointSinkKind: CaseIterable, Sendable {
    case memory, file, store

    static let now = ManualTime().now

    func scene() async throws -> any CheckpointSinkScene {
        var request = DownloadRequest(url: "https://example.com/a.iso")
        request.filename = try FileName(validating: "a.iso")
        return switch self {
        case .memory: MemoryScene(request)
        case .file: try FileScene(request)
        case .store: try await StoreScene(request)
        }
    }
}

/// That of the transfers' tests.
private struct MemoryScene: CheckpointSinkScene {
    let memory: MemoryCheckpointSink
    private let refusal: Signal

    var sink: any CheckpointSink { memory }

    init(_ request: DownloadRequest) {
        let refusal = Signal()
        self.refusal = refusal
        memory = MemoryCheckpointSink { _, _ in refusal.count > 0 ? .fail : .record }
        let now = CheckpointSinkKind.now
        let times = Download.Times(createdAt: now, deadlineAt: now + .seconds(86_400))
        memory.assignment = Assignment(
            download: Download(id: DownloadID(at: now), request: request, state: .running, times: times)
        )
    }

    func kept() async throws -> Kept {
        let assignment = try #require(memory.assignment)
        return Kept(
            generation: assignment.download.generation,
            etag: assignment.download.source.etag,
            totalBytes: assignment.download.progress.totalBytes,
            segments: assignment.segments,
            blocks: assignment.blocks,
            hostRefusesRanges: assignment.hostRefusesRanges,
            mismatches: assignment.download.attempts.mismatches
        )
    }

    func published() async throws -> PublishedFile? { memory.assignment?.download.file }

    func refuseWrites() { refusal.fire() }

    func isRefusal(_ error: any Error) -> Bool { error is MemoryCheckpointSink.Failure }
}

/// That of `get`.
private struct FileScene: CheckpointSinkScene {
    private let folder: TemporaryDirectory
    private let directory: Directory
    private let request: DownloadRequest
    private let state: StateFile
    private let file: FileCheckpointSink

    var sink: any CheckpointSink { file }

    init(_ request: DownloadRequest) throws {
        self.request = request
        folder = try TemporaryDirectory()
        directory = try Directory(path: folder.path)
        state = StateFile(for: request, in: directory)
        file = FileCheckpointSink(.beginning(request, at: CheckpointSinkKind.now), file: state)
    }

    private func stored() throws -> GetProgress {
        try #require(try state.load(request, at: CheckpointSinkKind.now))
    }

    func kept() async throws -> Kept {
        let progress = try stored()
        // The file does not say how often the origin's file changed.
        if progress.download.generation == 1 { #expect(progress == file.progress) }
        return Kept(
            generation: progress.download.generation,
            etag: progress.download.source.etag,
            totalBytes: progress.download.progress.totalBytes,
            segments: progress.segments,
            hostRefusesRanges: progress.hostRefusesRanges,
            mismatches: progress.download.attempts.mismatches
        )
    }

    func published() async throws -> PublishedFile? { try stored().download.file }

    func refuseWrites() throws {
        // A folder of the state file's name, with something in it, gives way to no file.
        _ = try directory.openDirectory(relative: "\(state.name)/full", creating: true)
    }

    func isRefusal(_ error: any Error) -> Bool { error is SystemError }
}

/// That of the service.
private struct StoreScene: CheckpointSinkScene {
    private static let owner = "this process"

    private let folder = TemporaryFolder()
    private let store: Store
    private let claim: Claim
    let sink: any CheckpointSink

    init(_ request: DownloadRequest) async throws {
        let now = CheckpointSinkKind.now
        store = try Store(.file(folder("store.db"))) { _, _ in [] }
        let deadline = now + .seconds(86_400)
        let new = NewDownload(id: DownloadID(at: now), request: request, starts: true, deadlineAt: deadline)
        _ = try await store.create([new], atomically: true, now: now)
        let claimed = try await Self.claim(in: store)
        claim = claimed.claim
        let time = ManualTime(now: now).source
        sink = StoreCheckpointSink(
            store: store,
            vault: CredentialVault(key: [UInt8](repeating: 7, count: 32)),
            claimed: claimed,
            log: RequestLog(claimed.download, after: claimed.context.lastRequest, time: time),
            time: time,
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private static func claim(in store: Store) async throws -> ClaimedDownload {
        let slots = Slots(free: 1, perHost: 1)
        return try #require(try await store.claim(slots, node: owner, now: CheckpointSinkKind.now).downloads.first)
    }

    func kept() async throws -> Kept {
        _ = try await store.recordOutcome(claim, .interrupted, madeProgress: false, now: CheckpointSinkKind.now)
        let next = try await Self.claim(in: store)
        return Kept(
            generation: next.download.generation,
            etag: next.download.source.etag,
            totalBytes: next.download.progress.totalBytes,
            segments: next.segments,
            blocks: next.blocks,
            hostRefusesRanges: next.context.hostRefusesRanges,
            mismatches: next.download.attempts.mismatches
        )
    }

    func published() async throws -> PublishedFile? { try await store.download(claim.id)?.file }

    func refuseWrites() { store.writer.stopWriting() }

    func isRefusal(_ error: any Error) -> Bool { error is StoreError }
}
