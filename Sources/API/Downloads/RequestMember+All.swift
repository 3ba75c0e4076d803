import Core
import Service

extension RequestMember {
    private static let day: Int64 = 86_400

    /// The members of a request that need no code of their own, one line each.
    ///
    /// The others are `url`, `directory`, `expected`, `expires_at`, `keep_file_seconds`, `labels`, `metadata`, `start`
    /// and the members with credentials. Their patches depend on the stored download, or they are no property of the
    /// request. ``DownloadBody`` writes all members.
    static let all = [
        Self("mirrors", \.mirrors, .mirrors, cleared: [], .storedIn(\.mirrors)),
        Self("metalink", \.metalink, .word),
        Self("refresh_url", \.refreshURL, .url(.refreshURL), .storedIn(\.refreshURL)),
        Self("root", \.root, .root, cleared: .downloads, .storedIn(\.root)),
        Self("filename", \.filename, .filename, .storedIn(\.filename)),
        Self("on_conflict", \.onConflict, .word),
        Self("session", \.session, .session, .storedIn(\.session)),
        Self("webhook_ids", \.webhookIDs, .webhookIDs, cleared: [], .storedIn(\.webhookIDs)),
        Self("callback_url", \.callbackURL, .url(.receiver)),
        Self("accept_html", \.acceptsHTML, .flag, .lockedWhen(.inUse)),
        Self("accept_unverified_length", \.acceptsUnverifiedLength, .flag),
        Self("preserve_mtime", \.preservesModificationTime, .flag),
        Self("dedupe_key", \.dedupeKey, .dedupeKey),
        Self("deadline_at", \.deadline, .deadline, .lockedWhen(.afterRun)),
        Self(
            "limits",
            [
                Self("max_bytes", \.maxBytes, .maxBytes, .lockedWhen(.afterRun)),
                Self("rate_bytes_per_second", \.rateBytesPerSecond, .rate, .lockedWhen(.afterRun)),
                Self("connections", \.connections, .integer(1...32), .lockedWhen(.afterRun)),
            ]
        ),
        Self("max_attempts", \.maxAttempts, .integer(1...1000), .lockedWhen(.afterRun)),
        Self(
            "timeouts",
            [
                Self("connect_seconds", \.retry.connectTimeout, .seconds(upTo: 600), .lockedWhen(.afterRun)),
                Self("silence_seconds", \.retry.silenceTimeout, .seconds(upTo: day), .lockedWhen(.afterRun)),
                Self("give_up_seconds", \.retry.giveUpAfter, .seconds(upTo: 365 * day), .lockedWhen(.afterRun)),
            ]
        ),
        Self(
            "retry",
            [
                Self("delay_seconds", \.retry.delay, .seconds(upTo: day), .lockedWhen(.afterRun)),
                Self("max_delay_seconds", \.retry.maxDelay, .seconds(upTo: day), .lockedWhen(.afterRun)),
                Self("statuses", \.retry.statuses, .statuses, .lockedWhen(.afterRun)),
            ]
        ),
        Self("priority", \.priority, .priority, .lockedWhen(.afterRun)),
        Self("not_before_at", \.notBefore, .instant, .lockedWhen(.runningOrEnded)),
        Self("description", \.description, .description().withoutControls, .always),
    ]
}
