public import FoundationEssentials

/// An endpoint that receives events.
public struct Webhook: Hashable, Sendable, Decodable {
    public struct Stats: Hashable, Sendable, Decodable {
        public var succeeded: Int?
        public var failed: Int?
        public var lastSuccessAt: Date?
        public var lastFailureAt: Date?
        public var consecutiveFailures: Int?
    }

    /// `whk_…`
    public var id: String
    /// The URL, with its path redacted.
    public var url: String
    /// `settings` or `api`.
    public var createdBy: String?
    public var description: String?
    /// The event types that it receives.
    public var types: [String]?
    public var sessionFilter: String?
    public var enabled: Bool?
    public var disabledReason: String?
    public var secretFingerprint: String?
    public var stats: Stats?
    public var createdAt: Date?
    /// Its secret: only in the answer that creates it.
    public var secret: String?
}

/// A webhook to create.
public struct NewWebhook: Hashable, Sendable, Encodable {
    public var url: String
    public var description: String?
    /// Patterns such as `download.*`; nil for the service's default.
    public var types: [String]?
    public var sessionFilter: String?
    public var requestHeaders: [String: String]?
    public var enabled: Bool?
    /// `whsec_…`; nil to let the service make one.
    public var secret: String?

    public init(url: String) { self.url = url }
}

/// The result of a rotation.
public struct RotatedSecret: Hashable, Sendable, Decodable {
    public var secret: String
    public var secretFingerprint: String?
    /// Until then the service signs with the previous secret too.
    public var previousSecretExpiresAt: Date?
}

/// One event for one webhook.
public struct Delivery: Hashable, Sendable, Decodable {
    /// One request to the receiver.
    public struct Attempt: Hashable, Sendable, Decodable {
        public var number: Int
        public var startedAt: Date?
        public var durationMs: Int64?
        public var httpStatus: Int?
        public var error: String?
        public var responseExcerpt: String?
        public var nextAttemptAt: Date?
    }

    public struct Counters: Hashable, Sendable, Decodable { public var attempt: Int? }

    /// `dlv_…`
    public var id: String
    public var counters: Counters?
    public var eventID: String?
    public var eventType: String?
    public var seq: Int64?
    public var state: String
    public var nextAttemptAt: Date?
    public var createdAt: Date?
    public var finishedAt: Date?
    /// Its requests: only of a single delivery.
    public var attempts: [Attempt]?

    enum CodingKeys: String, CodingKey {
        case id, counters, eventType, seq, state, nextAttemptAt, createdAt, finishedAt, attempts
        case eventID = "eventId"
    }
}

/// Webhooks and their deliveries.
extension CormorantClient {
    public func webhooks() -> Pages<Webhook> { Pages(client: self, path: "/webhooks", query: []) }

    public func webhook(_ id: String) async throws(ClientError) -> Webhook {
        try await get(APIRequest.path("webhooks", id))
    }

    public func createWebhook(_ new: NewWebhook) async throws(ClientError) -> Webhook {
        try await send("POST", "/webhooks", new)
    }

    /// Creates a webhook.
    ///
    /// - Returns: Its members that this version knows, and its JSON.
    public func rawCreateWebhook(_ new: NewWebhook) async throws(ClientError) -> (Webhook, [UInt8]) {
        var request = APIRequest("POST", "/webhooks")
        request.body = try ClientJSON.encode(new)
        let body = try await send(request).body
        return (try ClientJSON.decode(body), body)
    }

    /// Enables or disables a webhook.
    public func changeWebhook(_ id: String, enabled: Bool) async throws(ClientError) -> Webhook {
        struct Patch: Encodable { let enabled: Bool }
        return try await send("PATCH", APIRequest.path("webhooks", id), Patch(enabled: enabled))
    }

    public func deleteWebhook(_ id: String) async throws(ClientError) {
        _ = try await send(APIRequest("DELETE", APIRequest.path("webhooks", id)))
    }

    /// Makes a new secret. The previous one signs too for a while.
    public func rotateSecret(of id: String) async throws(ClientError) -> RotatedSecret {
        struct Empty: Encodable {}
        return try await send("POST", APIRequest.path("webhooks", id, "rotate-secret"), Empty())
    }

    /// Sends a test event.
    public func ping(_ id: String) async throws(ClientError) -> Delivery {
        let request = APIRequest("POST", APIRequest.path("webhooks", id, "ping"))
        return try ClientJSON.decode(try await send(request).body)
    }

    /// - Parameter states: `pending`, `succeeded`, …; all if empty.
    public func deliveries(of id: String, states: [String] = []) -> Pages<Delivery> {
        let query = states.isEmpty ? [] : [APIRequest.Pair("state", states.joined(separator: ","))]
        return Pages(client: self, path: APIRequest.path("webhooks", id, "deliveries"), query: query)
    }

    public func delivery(_ id: String, of webhook: String) async throws(ClientError) -> Delivery {
        try await get(APIRequest.path("webhooks", webhook, "deliveries", id))
    }

    /// Sends a delivery again.
    public func redeliver(_ id: String, of webhook: String) async throws(ClientError) -> Delivery {
        let request = APIRequest("POST", APIRequest.path("webhooks", webhook, "deliveries", id, "redeliver"))
        return try ClientJSON.decode(try await send(request).body)
    }
}
