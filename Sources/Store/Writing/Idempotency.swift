public import Core

/// The result of looking up an idempotency key.
public enum IdempotencyLookup: Sendable {
    case none
    /// The same request was answered earlier with this response.
    case same(StoredResponse)
    /// The key was used earlier with a different request.
    case other
}

extension Store {
    /// Looks up the response to an earlier request with the same key.
    public func earlier(_ request: IdempotentRequest) async throws -> IdempotencyLookup {
        try await readers.lookUp { try $0.earlier(request) }
    }

    /// Stores the response to a request that was executed in several steps.
    ///
    /// - Returns: The response to send. If an equal request was faster, it is that request's response.
    public func storeResponse(
        _ response: StoredResponse,
        to request: IdempotentRequest,
        now: Timestamp
    ) async throws -> IdempotentResult<Void> {
        try await writer.write { transaction in
            try transaction.once(IdempotentOperation(request: request) { response }, now: now) {
            } keeping: {
                $0
            }
        }
    }
}

extension Transaction {
    func earlier(_ request: IdempotentRequest) throws -> IdempotencyLookup {
        try database.earlier(request)
    }

    /// Executes a request that has an idempotency key, unless it was executed before, and stores its response.
    ///
    /// - Parameter value: The part of the outcome in the response; nil if the response is not stored.
    func once<Outcome, Value>(
        _ replay: IdempotentOperation<Value>?,
        now: Timestamp,
        _ work: () throws -> Outcome,
        keeping value: (Outcome) -> Value?
    ) throws -> IdempotentResult<Outcome> {
        guard let replay else { return .done(try work()) }
        switch try earlier(replay.request) {
        case .same(let response): return .replayed(response)
        case .other: return .keyReused
        case .none: break
        }
        let outcome = try work()
        if let value = value(outcome) { try storeResponse(replay.response(value), to: replay.request, now: now) }
        return .done(outcome)
    }

    func storeResponse(_ response: StoredResponse, to request: IdempotentRequest, now: Timestamp) throws {
        try execute(
            """
            INSERT INTO idempotency (scope, key, fingerprint, http_status, location, etag, body, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                request.scope, request.key, Blob(request.fingerprint), response.status, response.location,
                response.etag, Blob(response.body), now,
            ]
        )
    }
}

extension Database {
    fileprivate func earlier(_ request: IdempotentRequest) throws -> IdempotencyLookup {
        let sql = "SELECT fingerprint, http_status, location, etag, body FROM idempotency WHERE scope = ? AND key = ?"
        return try first(sql, [request.scope, request.key]) { row in
            guard try row.next(Blob.self).bytes == request.fingerprint else { return .other }
            return try .same(
                StoredResponse(
                    status: row.next(),
                    location: row.next(),
                    etag: row.next(),
                    body: row.next(Blob.self).bytes
                )
            )
        } ?? .none
    }
}
