import Core
import Dispatch
import HTTPFields
import Store
import StoreSupport
import TestSupport
import Testing

extension Fixture {
    @discardableResult
    func make(
        host: String = "a.example",
        session: String? = nil,
        starts: Bool = true,
        at time: Timestamp = now
    ) async throws -> Download {
        var request = DownloadRequest(url: Self.url(host: host))
        request.session = session.flatMap { SessionName($0) }
        return try await make(request, starts: starts, at: time)
    }

    @discardableResult
    func make(_ request: DownloadRequest, starts: Bool = true, at time: Timestamp = now) async throws -> Download {
        let creation = try await store.create(Self.new(request, starts: starts, now: time), now: time)
        guard case .created(let download) = creation else { throw Unexpected(what: "\(creation)") }
        return download
    }

    /// Claims whatever there is one slot for.
    func claim(at time: Timestamp = now) async throws -> ClaimedDownload {
        try #require(try await claim(free: 1, at: time).first)
    }

    func claim(free: Int, perHost: Int = 1000, at time: Timestamp = now) async throws -> [ClaimedDownload] {
        try await store.claim(Slots(free: free, perHost: perHost), node: Self.node, now: time).downloads
    }

    /// Makes a download and claims it; there is to be no other one queued.
    func claimed(session: String? = nil) async throws -> ClaimedDownload {
        try await make(session: session)
        return try await claim()
    }

    /// A download as the writer takes it to be, without changing it; nil where there is none.
    func writtenDownload(_ id: DownloadID) async throws -> Download? {
        guard case .failure(.revisionMismatch(let download)) = try await command(id, nil, expectedRevision: -1) else {
            return nil
        }
        return download
    }

    func command(
        _ id: DownloadID,
        _ action: DownloadAction?,
        _ edit: DownloadEdit = DownloadEdit(),
        keepsPartial: Bool = false,
        expectedRevision: Int64? = nil,
        at time: Timestamp = now
    ) async throws -> CommandOutcome {
        let command = Command(
            action: action,
            edit: { _ in edit },
            keepsPartial: keepsPartial,
            expectedRevision: expectedRevision,
            timeLimit: .seconds(86_400)
        )
        return try await store.command(id, command, now: time).outcome()
    }

    /// Carries out what is known to be allowed.
    @discardableResult
    func done(
        _ id: DownloadID,
        _ action: DownloadAction?,
        _ edit: DownloadEdit = DownloadEdit(),
        keepsPartial: Bool = false,
        at time: Timestamp = now
    ) async throws -> (download: Download, stoppedEpoch: Int64?) {
        let moved = try await command(id, action, edit, keepsPartial: keepsPartial, at: time).get()
        return (moved.download, moved.stoppedEpoch)
    }

    func download(_ id: DownloadID) async throws -> Download {
        try #require(try await store.download(id))
    }
}

/// A fixture's step that did not come out as planned.
extension IdempotentResult {
    /// The outcome of a request that is not a repeated one.
    func outcome() throws -> Outcome {
        guard case .done(let outcome) = self else { throw Unexpected(what: "\(self)") }
        return outcome
    }
}

struct Unexpected: Error {
    let what: String
}

extension FencedResult {
    /// The value of a write that was taken.
    var taken: Value {
        get throws {
            guard case .done(let value) = self else { throw Unexpected(what: "lost") }
            return value
        }
    }

    var isLost: Bool {
        guard case .lost = self else { return false }
        return true
    }
}

/// What became of a request to make one download.
enum OneCreation {
    case created(Download)
    case existing(Download)
    case queueFull
    case quotaExceeded
    case sessionSealed
    case dedupeConflict(DedupeConflict)
    case replayed(StoredResponse)
    case keyReused
}

extension Store {
    /// Makes one download, as most tests do.
    @discardableResult
    func create(
        _ new: NewDownload,
        replay: IdempotentOperation<[Creation]>? = nil,
        queueLimit: Int? = nil,
        now: Timestamp = Fixture.now
    ) async throws -> OneCreation {
        let outcome = try await create([new], atomically: false, replay: replay, queueLimit: queueLimit, now: now)
        switch outcome {
        case .done(.made(let creations)):
            switch creations[0] {
            case .created(let download): return .created(download)
            case .existing(let download): return .existing(download)
            case .refused(.queueFull): return .queueFull
            case .refused(.quotaExceeded): return .quotaExceeded
            case .refused(.sessionSealed): return .sessionSealed
            case .refused(.dedupeConflict(let conflict)): return .dedupeConflict(conflict)
            case .refused(.unknownWebhook): throw Unexpected(what: "a webhook is unknown")
            case .refused(.tooManyCallbacks): throw Unexpected(what: "too many joined")
            }
        case .done(.refused): throw Unexpected(what: "\(outcome)")
        case .replayed(let result): return .replayed(result)
        case .keyReused: return .keyReused
        }
    }
}

/// Runs the tasks that prefer it one after the other, so that a test can wait until each has gone as far as it can.
final class SerialExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "store-tests.serial")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The job is run once, by the executor that it was handed to.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Returns once everything that was ready to run has run, and what it made ready in turn.
    func finishWork() {
        for _ in 0..<20 { queue.sync {} }
    }
}

extension Store {
    /// The part files that are to be removed, by download and generation.
    func partsToRemove() async throws -> [DownloadID: Int] {
        let tasks = try await storageTasks(limit: 1000, now: Fixture.at(1_000_000_000)).due
        return tasks.reduce(into: [:]) { parts, task in
            if case .part(let generation) = task.target { parts[task.download] = generation }
        }
    }
}
