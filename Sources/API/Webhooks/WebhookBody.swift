public import Core

/// The JSON of a webhook.
public struct WebhookBody: Resource {
    public static let usualLength = 1280

    let summary: WebhookSummary
    let defaultFingerprint: String
    let secret: String?

    /// - Parameters:
    ///   - defaultFingerprint: The fingerprint of the default secret, which signs for a webhook without its own secret.
    ///   - secret: The webhook's own secret. Only the response that creates it contains it.
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
            // Absent rather than null if it is not shown.
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
    /// The strong ETag: it changes with everything that the resource shows, except a secret.
    public var etag: String {
        let shown = WebhookBody(summary, defaultFingerprint: defaultFingerprint)
        var digest = XXH64()
        // Safe: a `UInt8` has no padding bytes.
        unsafe digest.update(shown.encoded().span.bytes)
        return "\"\(summary.webhook.revision).\(String(digest.value, radix: 16))\""
    }
}

/// The response to a secret rotation.
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

/// The response to a recovery.
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
