/// A request that a client may send again, told apart by the key that it chose
/// (draft-ietf-httpapi-idempotency-key-header-07).
public struct IdempotentRequest: Hashable, Sendable {
    /// Token, method and path, so that one client cannot read another's answers.
    public let scope: String
    public let key: String
    /// A digest of the request; the same key with another one is a mistake of the client.
    public let fingerprint: [UInt8]

    public init(scope: String, key: String, fingerprint: [UInt8]) {
        self.scope = scope
        self.key = key
        self.fingerprint = fingerprint
    }
}

/// An answer as it is kept for a repeated request: sent again byte for byte.
public struct StoredAnswer: Hashable, Sendable {
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
public enum Once<Outcome: Sendable>: Sendable {
    case done(Outcome)
    /// The same request came before. This was its answer.
    case replayed(StoredAnswer)
    /// The idempotency key came before, with another request.
    case keyReused

    /// The same kind of result, with another outcome.
    public func map<Other, Failure>(_ body: (Outcome) throws(Failure) -> Other) throws(Failure) -> Once<Other> {
        switch self {
        case .done(let outcome): .done(try body(outcome))
        case .replayed(let answer): .replayed(answer)
        case .keyReused: .keyReused
        }
    }
}

/// A request that may be repeated, and how its answer is made, inside the transaction that does its work.
public struct Replay<Outcome>: Sendable {
    public let request: IdempotentRequest
    /// The answer to what the request came to.
    public let answer: @Sendable (Outcome) -> StoredAnswer

    public init(request: IdempotentRequest, answer: @escaping @Sendable (Outcome) -> StoredAnswer) {
        self.request = request
        self.answer = answer
    }
}
