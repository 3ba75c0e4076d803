public import Core
public import Store

/// Creates downloads in two steps: each is validated separately, then all are recorded in one transaction.
extension DownloadService {
    /// Validates the request for a download. Nothing is recorded.
    ///
    /// - Parameter number: The index in a batch, less than 4096. The ids of a batch sort by it.
    public func prepare(_ requested: RequestedDownload, number: Int? = nil) throws(ServiceError) -> NewDownload {
        let now = time.now
        let request = try validator.request(requested, now: now)
        let deadlineAt = request.deadline.chosen ?? max(now, request.notBefore ?? now) + settings.timeLimit
        let id = DownloadID(drawnAt: now, number: number)
        return NewDownload(id: id, request: request, starts: requested.starts, deadlineAt: deadlineAt)
    }

    /// Records downloads durably. The scheduler then claims them.
    ///
    /// - Parameters:
    ///   - atomically: Records none if one is refused.
    ///   - seals: Seals their sessions in the same transaction.
    public func create(
        _ new: [NewDownload],
        atomically: Bool,
        seals: Bool = false,
        replay: IdempotentOperation<[Creation]>? = nil
    ) async throws -> IdempotentResult<CreationOutcome> {
        guard !running.isShuttingDown else { throw ServiceError.draining }
        let now = time.now
        let outcome = try await store.create(
            new,
            atomically: atomically,
            seals: seals,
            replay: replay,
            queueLimit: settings.queueLimit,
            now: now
        )
        if case .done(.made(let creations)) = outcome { announceDue(creations) }
        return outcome
    }

    private func announceDue(_ creations: [Creation]) {
        let due = creations.compactMap { creation -> Timestamp? in
            guard case .created(let download) = creation else { return nil }
            return download.times.nextAttemptAt ?? download.times.deadlineAt
        }
        if let first = due.min() { running.announceDue(first) }
    }
}

extension Store {
    /// The stored response to an equal earlier request; nil for a new request.
    public func earlierResponse(to request: IdempotentRequest) async throws -> StoredResponse? {
        switch try await earlier(request) {
        case .none: return nil
        case .same(let response): return response
        case .other: throw ServiceError.idempotencyKeyReused
        }
    }
}
