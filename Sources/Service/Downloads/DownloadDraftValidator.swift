import Core
import Transfer

/// Turns what a caller asked for into a request that can be stored, or says what is wrong with it.
struct DownloadDraftValidator {
    let settings: ServiceSettings
    let vault: CredentialVault

    func request(_ draft: DownloadDraft, now: Timestamp) throws(ServiceError) -> DownloadRequest {
        var (url, credentials) = try source(draft.url)
        credentials.headers = draft.requestHeaders
        credentials.authentication = draft.authentication
        credentials.cookies = draft.cookies
        credentials.postBody = draft.postBody
        credentials.proxy = draft.proxy
        try validate(url)
        try validate(draft.proxy)
        try refuseContradictions(in: credentials)
        try refuseWhatOnlyHTTPHas(in: credentials, of: url)
        try refuseMirrors(draft.mirrors, of: url, posts: draft.postBody != nil)
        try checkDeadline(draft.deadlineAt, now: now)
        try check(notBefore: draft.notBefore, deadline: draft.deadlineAt)
        try checkConnections(draft.connections)
        return DownloadRequest(
            url: vault.seal(url),
            mirrors: try mirrors(draft.mirrors),
            metalink: draft.metalink,
            refreshURL: try draft.refreshURL.map(refreshURL),
            session: draft.session,
            directory: draft.directory,
            filename: draft.filename,
            onConflict: draft.onConflict,
            credentials: credentials.isEmpty ? nil : vault.seal(credentials),
            outline: RequestSummary(credentials),
            expected: draft.expected,
            maxBytes: draft.maxBytes,
            rateBytesPerSecond: draft.rateBytesPerSecond,
            connections: draft.connections,
            maxAttempts: draft.maxAttempts,
            deadline: draft.deadlineAt.map(Deadline.at) ?? .serviceDefault,
            priority: draft.priority,
            notBefore: draft.notBefore,
            acceptsUnverifiedLength: draft.acceptsUnverifiedLength,
            description: draft.description,
            labels: draft.labels,
            metadata: draft.metadata,
            dedupeKey: draft.dedupeKey,
            callbackURL: try draft.callbackURL.map(callbackURL),
            webhookIDs: draft.webhookIDs
        )
    }

    /// - Parameter current: The download as it is.
    func edit(_ change: DownloadChange, of current: Download, now: Timestamp) throws(ServiceError) -> DownloadEdit {
        var edit = DownloadEdit()
        try changeSource(of: current.request, as: change, &edit)
        let posts = edit.outline.map { $0.postedBytes != nil } ?? (current.request.outline.postedBytes != nil)
        let url = edit.url ?? current.request.url
        try refuseMirrors(change.mirrors ?? current.request.mirrors, of: url, posts: posts)
        edit.mirrors = try change.mirrors.map { (texts) throws(ServiceError) in try mirrors(texts) }
        edit.refreshURL = try change.refreshURL.map(refreshURL)
        try checkDeadline(change.deadlineAt, now: now)
        edit.deadline = change.deadlineAt
        edit.maxBytes = change.maxBytes
        edit.rateBytesPerSecond = change.rateBytesPerSecond
        try checkConnections(change.connections?.value)
        edit.connections = change.connections
        edit.maxAttempts = change.maxAttempts
        edit.priority = change.priority
        edit.notBefore = change.notBefore
        if change.notBefore != nil || change.deadlineAt != nil {
            try check(
                notBefore: (change.notBefore ?? current.request.notBefore.map { .set($0) })?.value,
                deadline: change.deadlineAt ?? current.request.deadline.chosen
            )
        }
        edit.description = change.description
        edit.labels = try transformed(change.labels, current.request.labels)
        edit.metadata = try transformed(change.metadata, current.request.metadata)
        return edit
    }

    private func transformed(
        _ transform: DownloadChange.ObjectTransform?,
        _ current: JSONText?
    ) throws(ServiceError) -> DownloadEdit.Change<JSONText>? {
        guard let transform else { return nil }
        return try transform(current)
    }

    func source(_ text: String) throws(ServiceError) -> (SourceURL, RequestCredentials) {
        let (url, user, password) = try SourceURL.read(text, files: true, pointer: "/url")
        return (url, RequestCredentials(user: user, password: password))
    }

    /// What can be refused by the text alone. Addresses that names lead to are judged at each connection.
    func validate(_ url: SourceURL, pointer: String = "/url") throws(ServiceError) {
        guard let scheme = URLScheme(url.scheme) else { throw .destinationForbidden(.scheme, pointer: pointer) }
        guard scheme != .sftp || settings.allowsSFTP else {
            throw .unprocessable([
                ServiceError.Violation(pointer: pointer, detail: "sftp needs the setting known_hosts.")
            ])
        }
        switch settings.destinations.validate(host: url.host, port: url.port, scheme: scheme) {
        case nil: return
        case .address: throw .destinationForbidden(.address, pointer: pointer)
        case .port: throw .destinationForbidden(.port, pointer: pointer)
        }
    }

    /// Each is judged as the URL is, and may have no user information: what is secret goes to the URL's origin alone.
    private func mirrors(_ texts: [String]) throws(ServiceError) -> [String] {
        var mirrors: [String] = []
        for (index, text) in texts.enumerated() {
            let detail = "A mirror has no user information: credentials go to the origin of \"url\" alone."
            let mirror = try plainURL(text, pointer: "/mirrors/\(index)", refusingUser: detail)
            if !mirrors.contains(mirror) { mirrors.append(mirror) }
        }
        return mirrors
    }

    /// It is judged as the URL is. What it is asked is signed, so there is no login to it.
    private func refreshURL(_ text: String) throws(ServiceError) -> String {
        try plainURL(
            text,
            pointer: "/refresh_url",
            refusingUser: "It has no user information: requests to it are signed."
        )
    }

    /// Whoever may make downloads chooses with it where the service sends something, so the operator has to agree.
    func callbackURL(_ text: String) throws(ServiceError) -> String {
        guard settings.allowsCallbacks else {
            let detail = "callback_url needs the setting allow_inline_callbacks."
            throw .unprocessable([ServiceError.Violation(pointer: "/callback_url", detail: detail)])
        }
        return vault.seal(url: try settings.webhooks.check(text, pointer: "/callback_url"), hiding: .path)
    }

    private func refreshURL(
        _ change: DownloadEdit.Change<String>
    ) throws(ServiceError) -> DownloadEdit.Change<String> {
        switch change {
        case .set(let text): .set(try refreshURL(text))
        case .clear: .clear
        }
    }

    private func plainURL(
        _ text: String,
        pointer: String,
        refusingUser detail: String
    ) throws(ServiceError) -> String {
        let url = try SourceURL.read(text, pointer: pointer, refusingUser: detail)
        try validate(url, pointer: pointer)
        return vault.seal(url: url.text)
    }

    /// A mirror is asked by GET, and what it has can be told to be the same only by what a GET answers.
    private func refuseMirrors(_ mirrors: [String], of url: SourceURL, posts: Bool) throws(ServiceError) {
        guard posts || url.isFile, !mirrors.isEmpty else { return }
        let what = posts ? "asked for by POST" : "fetched by \(url.scheme)"
        throw .unprocessable([ServiceError.Violation(pointer: "/mirrors", detail: "What is \(what) has no mirrors.")])
    }

    private func checkDeadline(_ deadline: Timestamp?, now: Timestamp) throws(ServiceError) {
        guard let deadline, deadline <= now else { return }
        throw .unprocessable([ServiceError.Violation(pointer: "/deadline_at", detail: "The deadline has passed.")])
    }

    private func check(notBefore: Timestamp?, deadline: Timestamp?) throws(ServiceError) {
        guard let notBefore, let deadline, deadline <= notBefore else { return }
        throw .unprocessable([
            ServiceError.Violation(pointer: "/not_before", detail: "The deadline comes first.")
        ])
    }

    private func checkConnections(_ count: Int?) throws(ServiceError) {
        let most = settings.maxConnectionsPerDownload
        guard let count, count > most else { return }
        throw .unprocessable([
            ServiceError.Violation(pointer: "/limits/connections", detail: "The service allows \(most) at the most.")
        ])
    }
}

extension DownloadDraftValidator {
    /// What FTP and SFTP have no place for is refused, and not left out silently.
    func refuseWhatOnlyHTTPHas(in credentials: RequestCredentials, of url: SourceURL) throws(ServiceError) {
        guard url.isFile else { return }
        var violations: [ServiceError.Violation] = []
        func refuse(_ pointer: String, _ what: String) {
            violations.append(.init(pointer: pointer, detail: "\(url.scheme) has no \(what)."))
        }
        if !credentials.headers.isEmpty { refuse("/request_headers", "header fields") }
        if !credentials.cookies.isEmpty { refuse("/cookies", "cookies") }
        if credentials.postBody != nil { refuse("/method", "POST") }
        if case .server? = credentials.proxy { refuse("/proxy", "way through a proxy here") }
        switch credentials.authentication {
        case .basic(let username, let password):
            // On FTP's control connection a line break would begin another command.
            guard (username + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { break }
            refuse("/authentication", "control characters in a user or password")
        case .digest, .bearer: refuse("/authentication", "other authentication than a user and a password")
        case nil: break
        }
        guard violations.isEmpty else { throw .unprocessable(violations) }
    }
}
