public import Core

extension ProblemType {
    /// The page that `GET /problems/<slug>` shows: what it means, and what to do.
    public var page: String {
        "\(title)\n\nHTTP status \(status)\n\n\(explanation)\n"
    }

    /// What it means and what to do, for a person.
    public var explanation: String { explanations[self] ?? title }
}

/// One text for each type; a test holds that none is missing.
private let explanations: [ProblemType: String] = [
    .invalidJSON:
        """
    The bytes of the request's body are not a JSON text, or one that readers are known to disagree on: a
    name that stands twice, a byte order mark, half of a surrogate pair, U+0000, more than 32 levels, or
    bytes after the end. `detail` says what it is and at which byte. Correct the body and send it again.
    """,
    .invalidRequest:
        """
    The request was understood, but a part of it is not what openapi.yaml describes. `errors` lists each
    mistake: `pointer` is a JSON Pointer into the body, `parameter` the name of a query or path
    parameter, `header` that of a header field. Unknown members and parameters are mistakes too, so that
    a slip of the pen is not silently ignored.
    """,
    .invalidCursor:
        """
    The `cursor` was not made by this service, or belongs to a list with other filters. Begin again
    without one, and change nothing but the cursor from page to page.
    """,
    .invalidFilter:
        """
    A query parameter of a list is unknown or has a value that it cannot have. `errors` names it.
    """,
    .idempotencyKeyInvalid:
        """
    Send 1 to 255 visible ASCII characters, in double quotes or without, and only once.
    """,
    .unauthenticated:
        """
    Send `Authorization: Bearer …` with the service's token. Where none was set, the service made one at
    its first start and logged the path of its file. A service that runs without a token answers this to
    requests over HTTP/1.0 and with fields that proxies add: give it a token first.
    """,
    .originNotAllowed:
        """
    The service runs without a token, and the request comes from a page of another site in a browser: its `Origin` or
    `Sec-Fetch-Site` says so. The operator can allow the site in `cors_origins`, or set a token.
    """,
    .destinationForbidden:
        """
    The service may not download from this destination. `reason` says what is refused: the scheme, the
    port, the address or the proxy. The operator can allow more addresses in `allow_destinations`, any
    port and address in `destinations`, and in `client_proxies` that downloads choose their proxy.
    """,
    .notFound:
        """
    The path, or the download or session that it names, does not exist. A deleted download is not told
    from one that never was.
    """,
    .methodNotAllowed:
        """
    `Allow` lists the methods of this path.
    """,
    .notAcceptable:
        """
    `Accept` excludes what this path has to offer. Leave it out, or allow application/json and
    application/problem+json.
    """,
    .invalidTransition:
        """
    `state` says where the download stands, `allowed_actions` what can be asked of it there. Pause and
    cancel come too late once its file is being moved to its place.
    """,
    .dedupeKeyTaken:
        """
    While this download was failed or cancelled, another one was made with its `dedupe_key`: `download_id`. Two that
    are live never share one. Follow the other, or retry this one again once the other has failed, was cancelled or
    deleted.
    """,
    .dedupeConflict:
        """
    A download has this `dedupe_key` already, but of another file: `errors` names the members that differ, `existing`
    shows those of the download `download_id`, `requested` those of this request. Nothing was made or joined. Take
    another key, ask for the same file, or leave out what is not known. A request joins where its URL is the same, or
    one of the links of the same `refresh_url`, and what it expects is expected of the download too.
    """,
    .revisionMismatch:
        """
    State or configuration changed since `expected_revision`; `revision` is the present one. Read the
    download, decide again, and send the new revision.
    """,
    .fieldLocked:
        """
    The download's `state` does not let the members that `errors` names be changed: the source not while
    it runs, limits not once it ended. Pause it first.
    """,
    .notTerminal:
        """
    Only a download that is completed, failed or cancelled can be deleted. Cancel it first, or delete it
    with `?force=true`. A session can be deleted once all its downloads have ended: cancel them together with a `PATCH`
    of the session.
    """,
    .sessionSealed:
        """
    The session takes no new downloads, for good: its `session.finished` says that nothing follows. Those that it has
    can still be resumed and retried. Use another session, or delete this one once its downloads have ended; its name
    is free then.
    """,
    .busy:
        """
    Its file is being moved to its place at this moment. Ask again after `Retry-After`.
    """,
    .fileNotReady:
        """
    The download is not completed; `state` says where it stands.
    """,
    .fileGone:
        """
    The download was completed, but its file was removed or replaced since. Download it anew.
    """,
    .webhookDisabled:
        """
    The webhook receives nothing: `disabled_reason` says why. Enable it first (`PATCH /webhooks/{id}` with
    `{"enabled": true}`), then send again; `POST /webhooks/{id}/recover` brings back what waited for it.
    """,
    .webhookReadOnly:
        """
    Only webhooks that were made by `POST /webhooks` are changed and deleted here. The one of the setting
    `webhook_url` follows the settings, with its secret; that of a `callback_url` the download or session
    that names it. What was delivered to them can be looked at, and sent again.
    """,
    .rotationInProgress:
        """
    The secret before the present one signs until `previous_secret_expires_at`, and a third one would end
    that. Wait until then, or send `"force": true`.
    """,
    .eventsExpired:
        """
    `after` is not in the part of the log that is kept, which begins with the event `oldest_seq`, so what
    came right after it cannot be shown: 30 days have passed, or the number is of another log, from which
    this one was not restored. Look at what the downloads are now (`GET /downloads`), and read on with
    `after` one below `oldest_seq`, or without `after`.
    """,
    .preconditionFailed:
        """
    The resource's entity tag is not the one in `If-Match`, or the file changed since
    `If-Unmodified-Since`. Read it again. For a running download, whose entity tag changes with every
    byte, use `expected_revision` instead.
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
    The range begins after the end of the file, whose size `Content-Range` tells.
    """,
    .hostNotAllowed:
        """
    `Host` is not a name under which this service may be reached, which protects it from web pages that
    point a name of their own at it. The operator can add names in `public_hosts`.
    """,
    .unprocessable:
        """
    The request is well formed, but contradicts itself or the present: a deadline in the past, for
    instance. `errors` names the members.
    """,
    .idempotencyKeyReused:
        """
    The key came before with another method, path or body. Take a new key for each new request; keys are
    kept for 24 hours.
    """,
    .tooManyWrongTokens:
        """
    More than ten wrong tokens or tickets came from this address within a minute. The right token is taken at any time;
    a wrong one is told so again after `Retry-After`.
    """,
    .internalError:
        """
    A fault of the service. It is in the log under `request_id`.
    """,
    .draining:
        """
    It takes no new work. Ask again after `Retry-After`; downloads go on after the restart.
    """,
    .overloaded:
        """
    Too many requests are under way, their bodies fill the memory for them (`max_buffered_body_bytes`), every connection
    is taken, or another process holds the database. Nothing was changed. Ask again after `Retry-After`.
    """,
    .queueFull:
        """
    As many downloads wait as the operator allows. Ask again after `Retry-After`.
    """,
    .tooManyStreams:
        """
    As many streams of events are open as the service allows in all (`max_streams`) or for one token
    (`max_streams_per_token`). Close one, or try again after `Retry-After`. One stream of `/events` tells of
    all downloads: the pages of an application can share it.
    """,
    .outcomeUnknown:
        """
    The disk reported an error while the change was being committed: it may be there after the restart,
    or not. Read the resource, or send the request again with the same Idempotency-Key.
    """,
    .insufficientStorage:
        """
    The disk is too full for a new record. Nothing was changed, but that a DELETE has removed the file already:
    repeat it. Make room, or wait until downloads are deleted.
    """,
    .quotaExceeded:
        """
    The downloads of the session would hold more bytes than its `limits.max_bytes`. Delete some of them, or raise the
    limit.
    """,
]
