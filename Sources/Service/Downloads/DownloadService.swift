public import Core
public import Store
import Synchronization
public import Transfer

/// The operations of clients on downloads, with their rules, on top of the store.
///
/// Each call commits and returns; the scheduler finds the resulting work in the store. Every error is a
/// ``ServiceError``.
public final class DownloadService: Sendable {
    let store: Store
    let engine: Engine
    let running: RunningDownloads
    let rates: RateControl
    let settings: ServiceSettings
    let time: TimeSource
    let validator: DownloadValidator
    /// The start of the service, on the monotonic clock.
    let startedAt: Duration
    let deferredOperations = DeferredOperations()
    /// The number of running probes.
    let probes = Atomic<Int>(0)

    public init(
        store: Store,
        engine: Engine,
        running: RunningDownloads,
        rates: RateControl,
        vault: CredentialVault,
        settings: ServiceSettings,
        time: TimeSource
    ) {
        self.store = store
        self.engine = engine
        self.running = running
        self.rates = rates
        self.settings = settings
        self.time = time
        startedAt = time.elapsed
        validator = DownloadValidator(settings: settings, vault: vault, roots: engine.rootNames)
    }

    // MARK: - Reading

    /// The stored response to an equal earlier request, whatever happened to its download since; nil for a new request.
    public func earlierResponse(to request: IdempotentRequest) async throws -> StoredResponse? {
        try await store.earlierResponse(to: request)
    }

    /// The current state of a download. The existence of its finished file is checked without reading the file.
    public func download(_ id: DownloadID) async throws -> DownloadView {
        guard let download = try await store.download(id) else { throw ServiceError.notFound }
        guard download.state == .completed, let file = download.file, file.expiredAt == nil else {
            return view(of: download)
        }
        // If the file cannot be examined, the record is kept.
        return view(of: (try? await quickCheck(at: file, of: download)) ?? download)
    }

    /// Downloads, newest first; only those created before `id` if it is given.
    public func downloads(
        _ filter: DownloadFilter,
        before id: DownloadID?,
        limit: Int
    ) async throws -> [DownloadView] {
        try await store.downloads(filter, before: id, limit: limit).map(view)
    }

    /// A page of the downloads that a filter selects, in an order. A page that is not the last can be short.
    public func page(
        _ filter: DownloadFilter,
        _ order: DownloadOrder,
        after position: DownloadPosition?,
        limit: Int
    ) async throws -> (views: [DownloadView], next: DownloadPosition?) {
        let page = try await store.page(filter, order, after: position, limit: limit)
        return (page.downloads.map(view), page.next)
    }

    /// The number of downloads that a filter selects, as far as they are counted.
    public func count(_ filter: DownloadFilter) async throws -> DownloadCount {
        try await store.count(filter)
    }

    /// The requests of a download, newest first; only those before `number` if it is given.
    public func requests(
        of id: DownloadID,
        before number: Int?,
        limit: Int
    ) async throws -> [RequestRecord] {
        let requests = try await store.requests(of: id, before: number, limit: limit)
        guard let requests else { throw ServiceError.notFound }
        return requests
    }

    /// A session with the counts of its downloads.
    public func session(_ name: SessionName) async throws -> SessionSummary {
        guard let session = try await store.session(name) else { throw ServiceError.notFound }
        return session
    }

    /// Sessions by name; only those after `name` if it is given.
    public func sessions(after name: SessionName?, limit: Int) async throws -> [SessionSummary] {
        try await store.sessions(after: name, limit: limit)
    }

    /// The finished file, open for reading.
    public func file(of id: DownloadID) async throws -> FinishedFile {
        guard let download = try await store.download(id) else { throw ServiceError.notFound }
        guard download.state == .completed, let published = download.file else {
            throw ServiceError.fileNotReady(download.state)
        }
        guard published.expiredAt == nil else { throw ServiceError.fileGone }
        try await requireRoot(of: published)
        let (opened, current) = try await open(for: published, of: download)
        guard let opened else {
            // The file was moved while this task waited for the lock of its path.
            if let path = current.file?.path, path != published.path { return try await file(of: id) }
            throw ServiceError.fileGone
        }
        return FinishedFile(current, published, opened)
    }

    /// Opens a finished file, and records if it is missing or has come back.
    ///
    /// - Returns: The file, nil if it is missing, and the recorded download.
    private func open(
        for published: PublishedFile,
        of download: Download
    ) async throws -> (FileReading?, Download) {
        let opened = try await engine.withPathLocked(of: published) { () async throws -> FileReading? in
            // If a later download took the path, the file belongs to that download.
            guard try await !store.hasLostFile(download) else { return nil }
            do throws(FilesUnavailable) {
                return try await engine.open(published)
            } catch {
                throw ServiceError(opening: error)
            }
        }
        return (opened, await record(opened?.published ?? published.missing, insteadOf: published, of: download))
    }

    /// Does the same without reading the file. If only a comparison of bytes could decide, the record is kept.
    private func quickCheck(at published: PublishedFile, of download: Download) async throws -> Download {
        let state = try await engine.withPathLocked(of: published) { () async throws -> FileState in
            guard try await !store.hasLostFile(download) else { return .missing }
            do throws(FilesUnavailable) {
                return try await engine.state(of: published)
            } catch {
                throw ServiceError(opening: error)
            }
        }
        if state == .uncertain { return download }
        var found = published
        found.isMissing = state != .same
        return await record(found, insteadOf: published, of: download)
    }

    /// Records the result of a check. If the disk has no space for it, the next check records it.
    private func record(
        _ found: PublishedFile,
        insteadOf published: PublishedFile,
        of download: Download
    ) async -> Download {
        guard found != published else { return download }
        let now = time.now
        let recorded = try? await store.recordFile(of: download.id, seen: published, found: found, now: now)
        if let recorded = recorded.flatMap(\.self) { return recorded }
        var current = download
        current.file = found
        return current
    }

    /// A download with its live progress, or with the deferral that keeps it from a slot.
    public func view(of download: Download) -> DownloadView {
        DownloadView(
            download: download,
            progress: download.state == .running ? running.reading(of: download.id, epoch: download.epoch) : nil,
            deferral: download.state == .queued ? deferral(of: download) : nil
        )
    }

    /// Reads the deferrals of hosts that an earlier process recorded.
    public func loadHostDeferrals() async throws {
        let hosts = try await store.hosts(now: time.now)
        running.hostDeferrals.recall(hosts.compactMap { host in host.heldUntil.map { (host.authority, $0) } })
    }

    private func deferral(of download: Download) -> QueueDeferral? {
        if let pause = running.pause { return pause }
        if engine.isSpaceLow { return .space }
        let authority = download.request.url.authority
        let current = engine.hosts.snapshot(of: authority)
        let host = HostView(
            authority: authority,
            snapshot: current,
            claimsDeferredUntil: running.hostDeferrals.end(of: authority, now: time.now),
            refusesRangesUntil: nil
        ).snapshot
        // A limit that the settings set is a number of slots, not a deferral.
        guard let reason = host.reason,
            reason != .connectionLimit || host.connectionLimit < host.maxConnectionLimit
        else { return nil }
        return .host(host)
    }
}

/// A download as clients see it: the record, and live progress if it is running.
public struct DownloadView: Sendable {
    public let download: Download
    /// nil unless a worker of this process runs the download.
    public let progress: ProgressReading?
    /// What keeps a queued download from a slot; nil if nothing but the number of slots does.
    public let deferral: QueueDeferral?

    public init(download: Download, progress: ProgressReading? = nil, deferral: QueueDeferral? = nil) {
        self.download = download
        self.progress = progress
        self.deferral = deferral
    }
}
