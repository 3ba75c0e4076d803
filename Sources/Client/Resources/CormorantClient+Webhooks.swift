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
        try await raw("POST", "/webhooks", new)
    }

    /// Enables or disables a webhook.
    public func changeWebhook(_ id: String, enabled: Bool) async throws(ClientError) -> Webhook {
        try await rawChangeWebhook(id, enabled: enabled).0
    }

    public func changeWebhook(_ id: String, _ patch: WebhookPatch) async throws(ClientError) -> Webhook {
        try await send("PATCH", APIRequest.path("webhooks", id), patch)
    }

    /// Enables or disables a webhook.
    ///
    /// - Returns: Its members that this version knows, and its JSON.
    public func rawChangeWebhook(_ id: String, enabled: Bool) async throws(ClientError) -> (Webhook, [UInt8]) {
        var patch = WebhookPatch()
        patch.enabled = enabled
        return try await raw("PATCH", APIRequest.path("webhooks", id), patch)
    }

    public func deleteWebhook(_ id: String) async throws(ClientError) {
        _ = try await send(APIRequest("DELETE", APIRequest.path("webhooks", id)))
    }

    /// Makes a new secret. The previous one signs too for a while.
    public func rotateSecret(
        of id: String,
        _ rotation: SecretRotation = SecretRotation()
    ) async throws(ClientError) -> RotatedSecret {
        try await send("POST", APIRequest.path("webhooks", id, "rotate-secret"), rotation)
    }

    /// Makes a new secret. The previous one signs too for a while.
    ///
    /// - Returns: The secret, and the JSON.
    public func rawRotateSecret(of id: String) async throws(ClientError) -> (RotatedSecret, [UInt8]) {
        try await raw("POST", APIRequest.path("webhooks", id, "rotate-secret"), SecretRotation())
    }

    /// Sends deliveries again that were not accepted.
    ///
    /// - Returns: How many are scheduled.
    public func recover(_ id: String, _ recovery: Recovery) async throws(ClientError) -> Int {
        struct Recovered: Decodable { let scheduled: Int }
        let recovered: Recovered = try await send("POST", APIRequest.path("webhooks", id, "recover"), recovery)
        return recovered.scheduled
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
