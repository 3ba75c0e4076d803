public import Core
import Linux
public import Store
public import Transfer

/// What a caller may ask for: the rules of use, in front of the store.
///
/// It commits and returns; the scheduler finds what is to be done by itself. Errors are ``ServiceError`` in all cases.
public struct DownloadService: Sendable {
    let store: Store
    let engine: Engine
    let running: RunningDownloads
    let rates: RateControl
    let settings: ServiceSettings
    let time: TimeSource
    let validator: DownloadValidator

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
        validator = DownloadValidator(settings: settings, vault: vault)
    }

    // MARK: - Looking

    /// The answer that the same request got before, whatever became since of what it speaks of; nil for a new one.
    public func earlierResponse(to request: IdempotentRequest) async throws(ServiceError) -> StoredResponse? {
        try await store.earlierResponse(to: request)
    }

    /// A download as it is now, with a look at its finished file that does not read it.
    public func download(_ id: DownloadID) async throws(ServiceError) -> DownloadView {
        guard let download = try await mappingStoreErrors({ try await store.download(id) }) else { throw .notFound }
        guard download.state == .completed, let file = download.file else { return view(of: download) }
        // What cannot be looked at now stays as it is recorded.
        return view(of: (try? await quickCheck(at: file, of: download)) ?? download)
    }

    /// The newest first, those made before `id` if one is given.
    public func downloads(
        _ filter: DownloadFilter,
        before id: DownloadID?,
        limit: Int
    ) async throws(ServiceError) -> [DownloadView] {
        try await mappingStoreErrors { try await store.downloads(filter, before: id, limit: limit) }.map(view)
    }

    /// The requests that were made for a download, the newest first, those before `number` if one is given.
    public func requests(
        of id: DownloadID,
        before number: Int?,
        limit: Int
    ) async throws(ServiceError) -> [RequestRecord] {
        let requests = try await mappingStoreErrors { try await store.requests(of: id, before: number, limit: limit) }
        guard let requests else { throw .notFound }
        return requests
    }

    /// A session with the counts of its downloads.
    public func session(_ name: SessionName) async throws(ServiceError) -> SessionSummary {
        guard let session = try await mappingStoreErrors({ try await store.session(name) }) else { throw .notFound }
        return session
    }

    /// In the order of their names, those after `name` if one is given.
    public func sessions(after name: SessionName?, limit: Int) async throws(ServiceError) -> [SessionSummary] {
        try await mappingStoreErrors { try await store.sessions(after: name, limit: limit) }
    }

    /// The number of downloads in each state, and what the running ones receive.
    public func stats() async throws(ServiceError) -> ServiceStats {
        let counts = try await mappingStoreErrors { try await store.downloadCounts() }
        let readings = running.readings.map(\.reading)
        return ServiceStats(
            counts: counts,
            receivedBytes: readings.reduce(0) { $0 + $1.receivedBytes },
            bytesPerSecond: readings.filter { $0.phase == .transferring }.reduce(0) { $0 + $1.bytesPerSecond }
        )
    }

    /// The finished file, open for reading.
    public func file(of id: DownloadID) async throws(ServiceError) -> FinishedFile {
        guard let download = try await mappingStoreErrors({ try await store.download(id) }) else { throw .notFound }
        guard download.state == .completed, let published = download.file else { throw .fileNotReady(download.state) }
        let (opened, current) = try await open(for: published, of: download)
        guard let opened else { throw .fileGone }
        return FinishedFile(current, published, opened)
    }

    /// Looks for a finished file, and records it where it is missing, or there again.
    ///
    /// - Returns: The file, if it is there, and the download as it is recorded then.
    private func open(
        for published: PublishedFile,
        of download: Download
    ) async throws(ServiceError) -> (OpenedFile?, Download) {
        let opened = try await engine.withPathLocked(of: published) { () async throws(ServiceError) -> OpenedFile? in
            // Of what has its size and its name, the last download to take the name is the owner.
            guard try await !mappingStoreErrors({ try await store.hasLostFile(download) }) else { return nil }
            do throws(SystemError) {
                return try await engine.open(published)
            } catch {
                throw ServiceError(opening: error)
            }
        }
        return (opened, await record(opened?.published ?? published.missing, insteadOf: published, of: download))
    }

    /// The same without reading the file: one that only a comparison would tell from another stays as it is recorded.
    private func quickCheck(at published: PublishedFile, of download: Download) async throws(ServiceError) -> Download {
        let isThere = try await engine.withPathLocked(of: published) { () async throws(ServiceError) -> Bool? in
            guard try await !mappingStoreErrors({ try await store.hasLostFile(download) }) else { return false }
            do throws(SystemError) {
                return try await engine.existsUnverified(published)
            } catch {
                throw ServiceError(opening: error)
            }
        }
        guard let isThere else { return download }
        var found = published
        found.isMissing = !isThere
        return await record(found, insteadOf: published, of: download)
    }

    /// Records what a look found. What has no room to be recorded now is seen by the next look.
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

    /// A download with what is known of its transfer ahead of the record.
    public func view(of download: Download) -> DownloadView {
        DownloadView(
            download: download,
            progress: download.state == .running ? running.reading(of: download.id, epoch: download.epoch) : nil
        )
    }
}

/// What the service has in hand.
public struct ServiceStats: Sendable {
    /// States without a download may be missing.
    public let counts: [DownloadState: Int]
    /// What the running downloads have received.
    public let receivedBytes: Int64
    /// What they receive together now.
    public let bytesPerSecond: Double
}

/// A download as a caller sees it: the record, and for a running one the live reading ahead of it.
public struct DownloadView: Sendable {
    public let download: Download
    /// nil while no worker of this process has it.
    public let progress: ProgressReading?

    public init(download: Download, progress: ProgressReading? = nil) {
        self.download = download
        self.progress = progress
    }
}
