import Core
import Curl
import Transfer

/// Creates the header fields of a delivery: its metadata, its signature, and the fields that the client added.
struct DeliverySigner: Sendable {
    let vault: CredentialVault
    /// The default secret, for webhooks without a secret of their own.
    let secret: WebhookSecret

    /// - Returns: nil if a secret or the client's fields were encrypted with another key.
    func fields(of delivery: DueDelivery, at now: Timestamp) -> [HeaderField]? {
        let webhook = delivery.webhook
        guard let secrets = secrets(of: webhook, at: now), let own = ownFields(of: webhook) else { return nil }
        let signed = WebhookSecret.fields(
            secrets,
            id: delivery.event.text,
            timestamp: now.seconds,
            body: delivery.body
        )
        return [HeaderField("Content-Type", delivery.format.mediaType)]
            + signed.map { HeaderField($0.name, $0.value) } + own
    }

    private func secrets(of webhook: Webhook, at now: Timestamp) -> [WebhookSecret]? {
        guard let keys = webhook.keys else { return [secret] }
        let opened = keys.signing(at: now).map { sealed in
            vault.open(bytes: sealed).flatMap { WebhookSecret(String(decoding: $0, as: UTF8.self)) }
        }
        guard !opened.contains(where: { $0 == nil }) else { return nil }
        return opened.compactMap(\.self)
    }

    private func ownFields(of webhook: Webhook) -> [HeaderField]? {
        guard let sealed = webhook.settings.headers else { return [] }
        return vault.open(sealed).map { $0.headers.map { HeaderField($0.name, $0.value) } }
    }
}

extension EventForm.Format {
    fileprivate var mediaType: String {
        switch self {
        case .standard: "application/json"
        case .cloudEvents: "application/cloudevents+json"
        }
    }
}
