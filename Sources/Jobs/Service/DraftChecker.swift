import Model
import Transfers

/// Turns what a caller asked for into a request that can be stored, or says what is wrong with it.
struct DraftChecker {
    let settings: JobSettings
    let vault: CredentialVault

    func request(_ draft: DownloadDraft, now: Timestamp) throws(JobError) -> DownloadRequest {
        let (url, credentials) = try source(draft.url, headers: draft.requestHeaders)
        try judge(url)
        try checkDeadline(draft.deadlineAt, now: now)
        try check(notBefore: draft.notBefore, deadline: draft.deadlineAt)
        return DownloadRequest(
            url: url,
            session: draft.session,
            directory: draft.directory,
            filename: draft.filename,
            onConflict: draft.onConflict,
            credentials: credentials.isEmpty ? nil : vault.seal(credentials),
            headerNames: draft.requestHeaders.map(\.name),
            expected: draft.expected,
            maxBytes: limit(draft.maxBytes),
            rateBytesPerSecond: draft.rateBytesPerSecond,
            maxAttempts: draft.maxAttempts,
            deadline: draft.deadlineAt.map(Deadline.at) ?? .serviceDefault,
            priority: draft.priority,
            notBefore: draft.notBefore,
            acceptsUnverifiedLength: draft.acceptsUnverifiedLength,
            labels: draft.labels,
            metadata: draft.metadata,
            dedupeKey: draft.dedupeKey
        )
    }

    /// - Parameter current: The download as it is.
    func edit(_ change: DownloadChange, of current: Download, now: Timestamp) throws(JobError) -> DownloadEdit {
        var edit = DownloadEdit()
        try changeSource(of: current.request, as: change, &edit)
        try checkDeadline(change.deadlineAt, now: now)
        edit.deadline = change.deadlineAt
        edit.maxBytes = change.maxBytes.map { limit($0.value).map { .set($0) } ?? .clear }
        edit.rateBytesPerSecond = change.rateBytesPerSecond
        edit.maxAttempts = change.maxAttempts
        edit.priority = change.priority
        edit.notBefore = change.notBefore
        if change.notBefore != nil || change.deadlineAt != nil {
            try check(
                notBefore: (change.notBefore ?? current.request.notBefore.map { .set($0) })?.value,
                deadline: change.deadlineAt ?? current.request.deadline.chosen
            )
        }
        edit.labels = try transformed(change.labels, current.request.labels)
        edit.metadata = try transformed(change.metadata, current.request.metadata)
        return edit
    }

    /// Where the file comes from, and with which credentials.
    private func changeSource(
        of request: DownloadRequest,
        as change: DownloadChange,
        _ edit: inout DownloadEdit
    ) throws(JobError) {
        guard change.url != nil || change.requestHeaders != nil else { return }
        let kept = KeptCredentials(request, vault)
        var credentials = kept.readable
        var dropsCredentials = false
        if let text = change.url {
            let (url, given) = try source(text, headers: [])
            try judge(url)
            // What was given for one origin's eyes is not shown to another.
            if !url.isSameOrigin(as: request.url) {
                credentials = RequestCredentials()
                dropsCredentials = kept.isSealed
            }
            if given.user != nil { (credentials.user, credentials.password) = (given.user, given.password) }
            edit.url = url
        }
        if let transform = change.requestHeaders { credentials.headers = transform(credentials.headers) }
        guard dropsCredentials || change.requestHeaders != nil || credentials != kept.readable else { return }
        guard !kept.hasUnreadableValue(in: credentials) else { throw .unprocessable([Self.unreadable]) }
        edit.headerNames = credentials.headers.map(\.name)
        edit.credentials = credentials.isEmpty ? .clear : .set(vault.seal(credentials))
    }

    private static let unreadable = JobError.Violation(
        pointer: "/request_headers",
        detail: "What was given before cannot be read with the service's present key: give all of it anew, or null."
    )

    private func transformed(
        _ transform: DownloadChange.ObjectTransform?,
        _ current: JSONText?
    ) throws(JobError) -> DownloadEdit.Change<JSONText>? {
        guard let transform else { return nil }
        return try transform(current)
    }

    private func source(
        _ text: String,
        headers: [RequestCredentials.Header]
    ) throws(JobError) -> (SourceURL, RequestCredentials) {
        do {
            let (url, user, password) = try SourceURL.parse(text)
            return (url, RequestCredentials(headers: headers, user: user, password: password))
        } catch {
            if error.hasOtherScheme { throw .destinationForbidden(.scheme) }
            throw .invalid([JobError.Violation(pointer: "/url", detail: error.detail)])
        }
    }

    /// What can be refused by the text alone. Addresses that names lead to are judged at each connection.
    private func judge(_ url: SourceURL) throws(JobError) {
        guard let scheme = URLScheme(url.scheme) else { throw .destinationForbidden(.scheme) }
        let refusal =
            IPAddress(urlHost: url.host).flatMap { settings.destinations.judge($0, port: url.port, scheme: scheme) }
            ?? settings.destinations.judge(port: url.port, scheme: scheme)
        switch refusal {
        case nil: return
        case .address: throw .destinationForbidden(.address)
        case .port: throw .destinationForbidden(.port)
        }
    }

    private func checkDeadline(_ deadline: Timestamp?, now: Timestamp) throws(JobError) {
        guard let deadline, deadline <= now else { return }
        throw .unprocessable([JobError.Violation(pointer: "/deadline_at", detail: "The deadline has passed.")])
    }

    private func check(notBefore: Timestamp?, deadline: Timestamp?) throws(JobError) {
        guard let notBefore, let deadline, deadline <= notBefore else { return }
        throw .unprocessable([
            JobError.Violation(pointer: "/not_before", detail: "The deadline comes first.")
        ])
    }

    /// The smaller of the caller's limit and the operator's.
    private func limit(_ maxBytes: Int64?) -> Int64? {
        [maxBytes, settings.maxDownloadBytes].compactMap(\.self).min()
    }
}
