import Core
import Logging
import Store
import Synchronization
import Transfer

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// Stores a worker's progress under its claim.
final class StoreCheckpointSink: CheckpointSink {
    private let store: Store
    private let claim: Claim
    private let url: DownloadURL
    private let root: RootName
    private let vault: CredentialVault
    private let log: RequestLog
    private let time: TimeSource
    private let logger: Logger
    private let hasQuota: Bool
    private let lastGeneration: Atomic<Int>

    init(
        store: Store,
        vault: CredentialVault,
        claimed: ClaimedDownload,
        log: RequestLog,
        time: TimeSource,
        logger: Logger
    ) {
        self.store = store
        self.vault = vault
        self.log = log
        self.time = time
        self.logger = logger
        claim = claimed.claim
        url = claimed.download.request.url
        root = claimed.download.request.root
        hasQuota = claimed.context.hasQuota
        lastGeneration = Atomic(claimed.download.generation)
    }

    /// The generation of the part file that the worker writes.
    var generation: Int { lastGeneration.load(ordering: .relaxed) }

    var storesBlocks: Bool { true }

    /// Queries only if the session had a limit at the claim. Each checkpoint checks a limit that was set later.
    func admits(total: Int64) async throws -> Bool {
        guard hasQuota else { return true }
        return try await store.allowsSize(claim.id, total: total)
    }

    func lastCompleted(at path: String) async throws -> Download? {
        guard let last = try await store.lastCompleted(at: path, below: root), SealedURL.isSame(last.request.url, url),
            // A validator of a mirror says nothing about the URL.
            let source = last.source.url, source.isSameOrigin(as: url), source.path == url.path
        else { return nil }
        return last
    }

    func isFileOfAnother(at path: String) async throws -> Bool {
        try await store.isFileOfAnother(than: claim.id, at: path, below: root)
    }

    func checkpoint(_ checkpoint: Checkpoint) async throws -> FencedResult<Void> {
        let checkpoint = sealed(checkpoint)
        return try await accounting { try await store.checkpoint(claim, checkpoint, requests: $0, now: time.now) }
    }

    func restart(reason: String, isChange: Bool) async throws -> FencedResult<Int> {
        let restarted = try await accounting { requests in
            try await store.restart(claim, reason: reason, isChange: isChange, requests: requests, now: time.now)
        }
        if case .done(let generation) = restarted { lastGeneration.store(generation, ordering: .relaxed) }
        return restarted
    }

    func publish(_ file: PublishedFile, _ checkpoint: Checkpoint) async throws -> FencedResult<Bool> {
        let checkpoint = sealed(checkpoint)
        return try await accounting(isWhole: true) { requests in
            try await store.publish(claim, file, checkpoint, requests: requests, now: time.now)
        }
    }

    @inline(never)
    private func sealed(_ checkpoint: Checkpoint) -> Checkpoint {
        var checkpoint = checkpoint
        checkpoint.source = vault.seal(checkpoint.source)
        return checkpoint
    }

    /// Commits together with the new entries of the request log.
    private func accounting<Value>(
        isWhole: Bool = false,
        _ commit: ([RequestRecord]) async throws -> Value
    ) async throws -> Value {
        let requests = log.removePending(isWhole: isWhole)
        do {
            return try await commit(requests)
        } catch {
            log.restore(requests)
            throw error
        }
    }

    func recordDamage(_ damage: PartDamage) async {
        logger.warning(
            "part file damaged, blocks to be fetched again",
            metadata: [
                "download.id": "\(claim.id)", "part.damaged_blocks": .stringConvertible(damage.blocks),
                "part.repeated_bytes": .stringConvertible(damage.bytes),
            ]
        )
    }

    func recordHostRefusesRanges(_ authority: String) async throws {
        try await store.flagHostRefusesRanges(authority, until: time.now + HostWaitReason.rangeRefusal)
    }
}
