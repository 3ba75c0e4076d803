/// A request with an idempotency key (draft-ietf-httpapi-idempotency-key-header-07).
public struct IdempotentRequest: Hashable, Sendable {
    /// Derived from token, method and path, so that a client cannot read another client's responses.
    public let scope: String
    public let key: String
    /// A digest of the request. The same key with another digest is an error of the client.
    public let fingerprint: [UInt8]

    public init(scope: String, key: String, fingerprint: [UInt8]) {
        self.scope = scope
        self.key = key
        self.fingerprint = fingerprint
    }
}

/// A stored response. A repeated request gets it byte for byte.
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

/// The outcome of a request with an idempotency key.
public enum IdempotentResult<Outcome: Sendable>: Sendable {
    case done(Outcome)
    /// The same request was processed before; this is its response.
    case replayed(StoredResponse)
    /// The idempotency key was used before for another request.
    case keyReused

    /// Converts the outcome.
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

/// A request with an idempotency key, and how to make its response inside the transaction.
public struct IdempotentOperation<Outcome>: Sendable {
    public let request: IdempotentRequest
    /// Makes the response for the outcome.
    public let response: @Sendable (Outcome) -> StoredResponse

    public init(request: IdempotentRequest, response: @escaping @Sendable (Outcome) -> StoredResponse) {
        self.request = request
        self.response = response
    }
}
