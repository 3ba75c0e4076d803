public import Core

extension ProblemType {
    /// The page of `GET /problems/<slug>`: the meaning of the problem, and its remedy.
    public var page: String {
        "\(title)\n\nHTTP status \(status)\n\n\(explanation)\n"
    }

    /// The meaning of the problem and its remedy, for a person.
    public var explanation: String { explanations[self] ?? title }
}

/// One text for each type. A test checks that none is missing.
private let explanations: [ProblemType: String] = [
    .invalidJSON:
        """
    The request's body is not JSON, or JSON on which parsers disagree: a name that occurs twice, a byte
    order mark, half of a surrogate pair, U+0000, more than 32 levels, or bytes after the end. `detail`
    says what is wrong and at which byte. Correct the body and send it again.
    """,
    .invalidRequest:
        """
    A part of the request is not what openapi.yaml describes. `errors` lists each error: `pointer` is a
    JSON Pointer into the body, `parameter` the name of a query or path parameter, `header` that of a
    header field. Unknown members and parameters are errors too, so that a typing error is not silently
    ignored.
    """,
    .invalidCursor:
        """
    The `cursor` was not made by this service, or belongs to a list with other filters. Start again
    without a cursor, and change only the cursor from page to page.
    """,
    .invalidFilter:
        """
    A query parameter of a list is unknown or has an invalid value. `errors` names it.
    """,
    .idempotencyKeyInvalid:
        """
    Send 1 to 255 visible ASCII characters, in double quotes or without, and only once. A request that
    stores nothing accepts no key: send it without the field.
    """,
    .unauthenticated:
        """
    Send `Authorization: Bearer …` with the service's token. If none was set, the service made one at
    its first start and logged the path of its file. A service without a token answers this to requests
    over HTTP/1.0 and with fields that proxies add: give it a token first.
    """,
    .originNotAllowed:
        """
    The service runs without a token, and the request comes from a page of another site in a browser:
    its `Origin` or `Sec-Fetch-Site` says so. The operator can allow the site in `cors_origins`, or set
    a token.
    """,
    .destinationForbidden:
        """
    The service may not download from this destination. `reason` says what is refused: the scheme, the
    port, the address or the proxy. The operator can allow more addresses in `allow_destinations`, any
    port and address in `destinations`, and proxies of clients in `client_proxies`.
    """,
    .notFound:
        """
    The path, or the download or session that it names, does not exist. A deleted download looks the
    same as one that never existed.
    """,
    .methodNotAllowed:
        """
    `Allow` lists the methods of this path.
    """,
    .notAcceptable:
        """
    `Accept` excludes every media type of this path. Omit it, or allow application/json and
    application/problem+json.
    """,
    .invalidTransition:
        """
    `state` is the state of the download, `allowed_actions` lists the actions that it allows. Pause and
    cancel are refused once the file is being published.
    """,
    .dedupeKeyTaken:
        """
    While this download was failed or cancelled, another one was created with its `dedupe_key`:
    `download_id`. Only one of them may be active. Follow the other one, or retry this one once the
    other has failed, was cancelled or deleted.
    """,
    .dedupeConflict:
        """
    A download has this `dedupe_key` already, but another file. `errors` names the members that differ,
    `existing` shows those of the download `download_id`, `requested` those of this request. Nothing was
    created or joined. Use another key, request the same file, or omit what is not known. A request
    joins a download if its URL is the same, or one of the URLs of the same `refresh_url`, and the
    download expects what the request expects.
    """,
    .revisionMismatch:
        """
    State or configuration changed since `expected_revision`; `revision` is the current one. Read the
    resource, decide again, and send the new revision.
    """,
    .fieldLocked:
        """
    The `state` of the download does not allow changes of the members that `errors` names: the source
    cannot be changed while it runs, limits cannot be changed after its end. Pause it first.
    """,
    .notTerminal:
        """
    Only a download that is completed, failed or cancelled can be deleted. Cancel it first, or delete it
    with `?force=true`. A session can be deleted once all its downloads have ended: cancel them with a
    `PATCH` of the session.
    """,
    .sessionSealed:
        """
    The session accepts no new downloads: its `session.finished` says that it was the last. Its
    downloads can still be resumed and retried. Use another session, or delete this one once its
    downloads have ended; then its name is free.
    """,
    .busy:
        """
    The file is being published now. Send the request again after `Retry-After`.
    """,
    .fileNotReady:
        """
    The download is not completed; `state` is its state.
    """,
    .fileGone:
        """
    The download was completed, but its file was removed or replaced. Download it again.
    """,
    .fileExists:
        """
    The file of a completed download is to get a name that another file has, and `on_conflict` of the download
    is `fail`. Give another `filename` or `directory`.
    """,
    .webhookDisabled:
        """
    The webhook receives nothing: `disabled_reason` says why. Enable it first (`PATCH /webhooks/{id}`
    with `{"enabled": true}`), then send again; `POST /webhooks/{id}/recover` brings back its waiting
    deliveries.
    """,
    .webhookReadOnly:
        """
    Only webhooks of `POST /webhooks` can be changed and deleted here. The webhook of `webhook_url`
    follows the settings, with its secret; that of a `callback_url` follows the download or session that
    names it. Their deliveries can be listed and sent again.
    """,
    .rotationInProgress:
        """
    The previous secret signs until `previous_secret_expires_at`, and a third one would end that. Wait
    until then, or send `"force": true`.
    """,
    .eventsExpired:
        """
    `after_seq` is not in the stored part of the log, which begins with the event `oldest_seq`, so the next
    events cannot be shown: 30 days have passed, or the number belongs to another log, before a restore.
    Read the downloads (`GET /downloads`), and continue with `after_seq` one below `oldest_seq`, or
    without it.
    """,
    .preconditionFailed:
        """
    The ETag of the resource is not the one in `If-Match`, or the file changed since
    `If-Unmodified-Since`. Read it again. The ETag of a running download changes with every byte:
    use `expected_revision` instead.
    """,
    .tooLarge:
        """
    A body has at most `limit_bytes` bytes.
    """,
    .unsupportedMediaType:
        """
    `accepted` lists the media types for `Content-Type`. With curl, use `--json`.
    """,
    .rangeNotSatisfiable:
        """
    The range begins after the end of the file. `Content-Range` has its size.
    """,
    .hostNotAllowed:
        """
    `Host` is not a name of this service. That protects it from web pages that point a name of their own
    at it. The operator can add names in `public_hosts`.
    """,
    .unprocessable:
        """
    The request is well formed, but contradicts itself or the current state: a deadline in the past, for
    instance. `errors` names the members.
    """,
    .idempotencyKeyReused:
        """
    The key was used with another method, path or body. Use a new key for each new request; keys are
    stored for 24 hours.
    """,
    .tooManyWrongTokens:
        """
    More than ten wrong tokens or tickets came from this address within a minute. The right token is
    always accepted; a wrong one is answered 401 again after `Retry-After`.
    """,
    .internalError:
        """
    An internal error of the service. The log has its cause under `request_id`.
    """,
    .draining:
        """
    The service accepts no new work. Send the request again after `Retry-After`; downloads go on after
    the restart.
    """,
    .overloaded:
        """
    Too many requests are in flight, their bodies fill `max_buffered_body_bytes`, every connection is in
    use, or another process has locked the database. Nothing was changed. Send the request again after
    `Retry-After`.
    """,
    .queueFull:
        """
    As many downloads are queued as `queue_limit` allows. Send the request again after `Retry-After`.
    """,
    .tooManyStreams:
        """
    As many event streams are open as `max_streams` allows in all, or `max_streams_per_token` for one
    token. Close one, or try again after `Retry-After`. One stream of `/events` reports all downloads:
    the pages of an application can share it.
    """,
    .outcomeUnknown:
        """
    The disk reported an error during the commit: after the restart the change may be there or not. Read
    the resource, or send the request again with the same Idempotency-Key.
    """,
    .rootUnavailable:
        """
    The file lies below a root whose folder cannot be used now: its disk is probably not mounted. `detail`
    says what is wrong. Nothing was changed, and the file does not count as missing. Send the request
    again once the operator has mounted the disk. A DELETE with `delete_file=false` deletes only the
    record.
    """,
    .insufficientStorage:
        """
    The disk is too full for a new record. Nothing was changed, except that a DELETE has removed the
    file already: repeat it. Free disk space, or delete downloads.
    """,
    .quotaExceeded:
        """
    With this file the downloads of the session would have more bytes than its `limits.max_bytes`.
    Delete some of them, or raise the limit.
    """,
]
