/// A repeatable request, identified by the client's key (draft-ietf-httpapi-idempotency-key-header-07).
public struct IdempotentRequest: Hashable, Sendable {
    /// Token, method and path, so that one client cannot read another's answers.
    public let scope: String
    public let key: String
    /// A digest of the request; the same key with another digest is a client's error.
    public let fingerprint: [UInt8]

    public init(scope: String, key: String, fingerprint: [UInt8]) {
        self.scope = scope
        self.key = key
        self.fingerprint = fingerprint
    }
}

/// A response that is stored for a repeated request: sent again byte for byte.
public struct StoredResponse: Hashable, Sendable {
    public let status: Int
    public let location: String?
    public let etag: String?
    public let body: [UInt8]

    public init(status: Int, location: String?, etag: String?, body: [UInt8]) {
        self.status = status
        self.location = location
        self.etag = etag
        self.body = body
    }
}

/// The outcome of a request that may be repeated.
public enum IdempotentResult<Outcome: Sendable>: Sendable {
    case done(Outcome)
    /// The same request came before. This was its answer.
    case replayed(StoredResponse)
    /// The idempotency key came before, with another request.
    case keyReused

    /// The same kind of result, with another outcome.
    public func map<Other, Failure>(
        _ body: (Outcome) throws(Failure) -> Other
    ) throws(Failure) -> IdempotentResult<Other> {
        switch self {
        case .done(let outcome): .done(try body(outcome))
        case .replayed(let response): .replayed(response)
        case .keyReused: .keyReused
        }
    }
}

/// A repeatable request, and how its response is made inside the transaction of its work.
public struct IdempotentOperation<Outcome>: Sendable {
    public let request: IdempotentRequest
    /// The response to the request's result.
    public let response: @Sendable (Outcome) -> StoredResponse

    public init(request: IdempotentRequest, response: @escaping @Sendable (Outcome) -> StoredResponse) {
        self.request = request
        self.response = response
    }
}
