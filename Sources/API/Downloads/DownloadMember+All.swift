import Core
import Service

extension DownloadMember {
    private static let day: Int64 = 86_400

    /// The members of a download, one line each.
    ///
    /// Not here: `url`, `directory`, `expected`, `expires_at`, `keep_file_seconds`, `labels`, `metadata`, the members
    /// with credentials and `start`. Their patches depend on the stored download, or they are no property of the
    /// request. ``DownloadBody`` writes all members.
    static let all = [
        Self("mirrors", \.mirrors, .mirrors, cleared: [], .edits(\.mirrors)),
        Self("metalink", \.metalink, .word),
        Self("refresh_url", \.refreshURL, .url(.refreshURL), .edits(\.refreshURL)),
        Self("root", \.root, .root, cleared: .downloads, .edits(\.root)),
        Self("filename", \.filename, .filename, .edits(\.filename)),
        Self("on_conflict", \.onConflict, .word),
        Self("session", \.session, .session, .edits(\.session)),
        Self("webhook_ids", \.webhookIDs, .webhookIDs, cleared: [], .edits(\.webhookIDs)),
        Self("callback_url", \.callbackURL, .url(.receiver)),
        Self("accept_html", \.acceptsHTML, .flag, .unless(.inUse)),
        Self("accept_unverified_length", \.acceptsUnverifiedLength, .flag),
        Self("preserve_mtime", \.preservesModificationTime, .flag),
        Self("dedupe_key", \.dedupeKey, .dedupeKey),
        Self("deadline_at", \.deadline, .deadline, .unless(.afterRun)),
        Self(
            "limits",
            [
                Self("max_bytes", \.maxBytes, .maxBytes, .unless(.afterRun)),
                Self("rate_bytes_per_second", \.rateBytesPerSecond, .rate, .unless(.afterRun)),
                Self("connections", \.connections, .integer(1...32), .unless(.afterRun)),
            ]
        ),
        Self("max_attempts", \.maxAttempts, .integer(1...1000), .unless(.afterRun)),
        Self(
            "timeouts",
            [
                Self("connect_seconds", \.retry.connectTimeout, .seconds(upTo: 600), .unless(.afterRun)),
                Self("silence_seconds", \.retry.silenceTimeout, .seconds(upTo: day), .unless(.afterRun)),
                Self("give_up_seconds", \.retry.giveUpAfter, .seconds(upTo: 365 * day), .unless(.afterRun)),
            ]
        ),
        Self(
            "retry",
            [
                Self("delay_seconds", \.retry.delay, .seconds(upTo: day), .unless(.afterRun)),
                Self("max_delay_seconds", \.retry.maxDelay, .seconds(upTo: day), .unless(.afterRun)),
                Self("statuses", \.retry.statuses, .statuses, .unless(.afterRun)),
            ]
        ),
        Self("priority", \.priority, .priority, .unless(.afterRun)),
        Self("not_before_at", \.notBefore, .instant, .unless(.afterStart)),
        Self("description", \.description, .description().withoutControls, .unless(.never)),
    ]
}
