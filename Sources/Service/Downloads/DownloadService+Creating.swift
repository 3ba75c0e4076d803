public import Core
public import Store

/// Makes downloads in two steps: each is judged by itself, then all that are to be made are recorded together.
extension DownloadService {
    /// What a request to make downloads came to.
    public enum CreationResult: Sendable {
        /// One for each of those that were prepared, in their order.
        case made([Creation])
        /// The first that was refused where all were to be made or none: nothing was.
        case refused(CreationRefusal, at: Int)
        /// The answer that the same request got before.
        case replayed(StoredResponse)
    }

    /// Judges a download by what its request says. Nothing is recorded yet.
    ///
    /// - Parameter number: Its place in a batch, whose downloads order as they stood there; less than 4096.
    public func prepare(_ requested: RequestedDownload, number: Int? = nil) throws(ServiceError) -> NewDownload {
        let now = time.now
        let request = try validator.request(requested, now: now)
        let deadlineAt = request.deadline.chosen ?? max(now, request.notBefore ?? now) + settings.timeLimit
        let id = number.map { DownloadID(at: now, number: $0) } ?? DownloadID(at: now)
        return NewDownload(id: id, request: request, starts: requested.starts, deadlineAt: deadlineAt)
    }

    /// Records downloads, which the scheduler takes up by itself. What is returned survives the loss of power.
    ///
    /// - Parameters:
    ///   - atomically: Records none where one is refused.
    ///   - seals: Seals the sessions that they name in the same step.
    public func create(
        _ new: [NewDownload],
        atomically: Bool,
        seals: Bool = false,
        replay: IdempotentOperation<[Creation]>? = nil
    ) async throws(ServiceError) -> CreationResult {
        guard !running.isShuttingDown else { throw .draining }
        let now = time.now
        let outcome = try await mappingStoreErrors {
            try await store.create(
                new,
                atomically: atomically,
                seals: seals,
                replay: replay,
                queueLimit: settings.queueLimit,
                now: now
            )
        }
        switch outcome {
        case .made(let creations):
            recordDue(creations)
            return .made(creations)
        case .refused(let refusal, let index): return .refused(refusal, at: index)
        case .replayed(let response): return .replayed(response)
        case .keyReused: throw .idempotencyKeyReused
        }
    }

    private func recordDue(_ creations: [Creation]) {
        let due = creations.compactMap { creation -> Timestamp? in
            guard case .created(let download) = creation else { return nil }
            return download.times.nextAttemptAt ?? download.times.deadlineAt
        }
        if let first = due.min() { running.recordDue(first) }
    }
}

extension Store {
    /// The answer that the same request got before; nil for a new one.
    public func earlierResponse(to request: IdempotentRequest) async throws(ServiceError) -> StoredResponse? {
        switch try await mappingStoreErrors({ try await earlier(request) }) {
        case .none: return nil
        case .same(let response): return response
        case .other: throw .idempotencyKeyReused
        }
    }
}
