public import Core

/// A webhook as the API shows it.
public struct WebhookBody: Resource {
    public static let usualLength = 1280

    let summary: WebhookSummary
    let defaultFingerprint: String
    let secret: String?

    /// - Parameters:
    ///   - defaultFingerprint: That of the secret which signs where the webhook has none of its own.
    ///   - secret: The webhook's own, shown in the answer that made it and in no other.
    public init(_ summary: WebhookSummary, defaultFingerprint: String, secret: String? = nil) {
        self.summary = summary
        self.defaultFingerprint = defaultFingerprint
        self.secret = secret
    }

    public func write(to writer: inout JSONWriter) {
        let webhook = summary.webhook
        writer.object { writer in
            writer.member("id", webhook.id.text)
            writer.member("counters") { $0.member("revision", webhook.revision) }
            writer.member("created_by", webhook.createdBy.rawValue)
            write(webhook.settings, to: &writer)
            writer.member("enabled", webhook.isEnabled)
            writer.member("disabled_reason", webhook.disabled?.reason)
            writer.member("disabled_at", webhook.disabled?.at)
            writer.member("secret_fingerprint", webhook.keys?.fingerprint ?? defaultFingerprint)
            writer.member("previous_secret_expires_at", webhook.keys?.previous?.expiresAt)
            write(summary.record, to: &writer)
            writer.member("created_at", webhook.createdAt)
            writer.member("updated_at", webhook.updatedAt)
            writer.member("links") { writer in
                writer.member("self", "/webhooks/\(webhook.id.text)")
                writer.member("deliveries", "/webhooks/\(webhook.id.text)/deliveries")
            }
            // Absent, and not null, wherever it is not shown.
            if let secret { writer.member("secret", secret) }
        }
    }

    private func write(_ settings: WebhookSettings, to writer: inout JSONWriter) {
        writer.member("url", RedactedURL(settings.url, hiding: .path).text)
        writer.member("description", settings.description)
        writer.name("types")
        if let patterns = settings.eventTypes {
            writer.array(patterns) { $0.string($1.text) }
        } else {
            writer.array(EventType.allCases.filter(\.isDefault)) { $0.string($1.rawValue) }
        }
        writer.member("session_filter", settings.session?.text)
        writer.name("labels_filter")
        if let labels = settings.labels { writer.raw(labels.text) } else { writer.null() }
        writer.member("payload", settings.form.payload.rawValue)
        writer.member("format", settings.form.format.rawValue)
        writer.member("request_headers") { writer in
            for name in settings.headerNames {
                writer.foreignName(name)
                writer.string(RedactedURL.replacement)
            }
        }
        writer.member("ordering", settings.ordering.rawValue)
        writer.member("rate_limit_per_second", settings.rateLimitPerSecond)
        writer.member("verify", settings.verification.rawValue)
    }

    private func write(_ record: WebhookRecord, to writer: inout JSONWriter) {
        writer.member("stats") { writer in
            writer.member("succeeded", record.succeeded)
            writer.member("failed", record.failed)
            writer.member("last_success_at", record.lastSuccessAt)
            writer.member("last_failure_at", record.lastFailureAt)
            writer.member("consecutive_failures", record.health.consecutiveFailures)
            writer.member("failing_since_at", record.health.failingSince)
        }
    }
}

extension WebhookBody {
    /// Its entity tag, which is strong: it changes with whatever is shown, but for a secret.
    public var etag: String {
        let shown = WebhookBody(summary, defaultFingerprint: defaultFingerprint)
        var digest = XXH64()
        // A byte has no padding that could be read.
        unsafe digest.update(shown.encoded().span.bytes)
        return "\"\(summary.webhook.revision).\(String(digest.value, radix: 16))\""
    }
}

/// What the rotation of a secret is answered with.
public struct RotatedSecretBody: Resource {
    public static let usualLength = 256

    private let secret: String
    private let summary: WebhookSummary

    public init(_ secret: String, _ summary: WebhookSummary) {
        self.secret = secret
        self.summary = summary
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("secret", secret)
            writer.member("secret_fingerprint", summary.webhook.keys?.fingerprint)
            writer.member("previous_secret_expires_at", summary.webhook.keys?.previous?.expiresAt)
        }
    }
}

/// What a recovery is answered with.
public struct RecoveryBody: Resource {
    public static let usualLength = 64

    private let scheduled: Int

    public init(scheduled: Int) {
        self.scheduled = scheduled
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { $0.member("scheduled", scheduled) }
    }
}
