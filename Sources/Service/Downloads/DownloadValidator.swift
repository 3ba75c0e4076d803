import Core
import Transfer
import TransferRules

/// Holds what a caller asks for against the settings and the destination policy, and seals what is secret in it.
struct DownloadValidator {
    let settings: ServiceSettings
    let vault: CredentialVault

    /// The request as its row has it, if it may be carried out.
    func request(_ requested: RequestedDownload, now: Timestamp) throws(ServiceError) -> DownloadRequest {
        var request = requested.request
        let credentials = requested.credentials
        try validate(request.url)
        try validate(credentials.proxy)
        try refuseContradictions(in: credentials)
        try refuseWhatOnlyHTTPHas(in: credentials, of: request.url)
        try refuseMirrors(request.mirrors, of: request.url, posts: credentials.postBody != nil)
        try checkDeadline(request.deadline.chosen, now: now)
        try check(notBefore: request.notBefore, deadline: request.deadline.chosen)
        try checkConnections(request.connections)
        request.url = vault.seal(request.url)
        request.mirrors = try mirrors(request.mirrors)
        request.refreshURL = try request.refreshURL.map(refreshURL)
        request.callbackURL = try request.callbackURL.map(callbackURL)
        request.credentials = credentials.isEmpty ? nil : vault.seal(credentials)
        request.summary = RequestSummary(credentials)
        return request
    }

    /// - Parameter current: The download as it is.
    func edit(_ patch: DownloadPatch, of current: Download, now: Timestamp) throws(ServiceError) -> DownloadEdit {
        guard patch.hasEdit else { return DownloadEdit() }
        var edit = DownloadEdit()
        try changeSource(of: current.request, as: patch, &edit)
        let posts = edit.summary.map { $0.postedBytes != nil } ?? (current.request.summary.postedBytes != nil)
        let url = edit.url ?? current.request.url
        try refuseMirrors(patch.mirrors ?? current.request.mirrors, of: url, posts: posts)
        edit.mirrors = try patch.mirrors.map { (texts) throws(ServiceError) in try mirrors(texts) }
        edit.refreshURL = try patch.refreshURL.map(refreshURL)
        try checkDeadline(patch.deadlineAt, now: now)
        edit.deadline = patch.deadlineAt
        edit.maxBytes = patch.maxBytes
        edit.rateBytesPerSecond = patch.rateBytesPerSecond
        try checkConnections(patch.connections?.value)
        edit.connections = patch.connections
        edit.maxAttempts = patch.maxAttempts
        edit.priority = patch.priority
        edit.notBefore = patch.notBefore
        if patch.notBefore != nil || patch.deadlineAt != nil {
            try check(
                notBefore: (patch.notBefore ?? current.request.notBefore.map { .set($0) })?.value,
                deadline: patch.deadlineAt ?? current.request.deadline.chosen
            )
        }
        edit.description = patch.description
        edit.labels = try merged(patch.labels, current.request.labels)
        edit.metadata = try merged(patch.metadata, current.request.metadata)
        return edit
    }

    private func merged(
        _ patch: ObjectPatch?,
        _ current: JSONText?
    ) throws(ServiceError) -> DownloadEdit.Change<JSONText>? {
        guard let patch else { return nil }
        do { return try patch.applied(to: current) } catch { throw .invalid(error.all) }
    }

    /// What can be refused by the text alone. Addresses that names lead to are judged at each connection.
    func validate(_ url: SourceURL, pointer: JSONPointer = "/url") throws(ServiceError) {
        guard let scheme = URLScheme(url.scheme) else { throw .destinationForbidden(.scheme, pointer: pointer) }
        guard !scheme.abilities.needsKnownHosts || settings.allowsSFTP else {
            throw .unprocessable([
                Violation(pointer, .malformed, "\(scheme.rawValue) needs the setting known_hosts.")
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
            refusingUser: "Expected a URL without user information: requests to it are signed."
        )
    }

    /// Whoever may make downloads chooses with it where the service sends something, so the operator has to agree.
    func callbackURL(_ text: String) throws(ServiceError) -> String {
        guard settings.allowsCallbacks else {
            let detail = "callback_url needs the setting allow_inline_callbacks."
            throw .unprocessable([Violation("/callback_url", .malformed, detail)])
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
        pointer: JSONPointer,
        refusingUser detail: String
    ) throws(ServiceError) -> String {
        let url = try SourceURL.read(text, pointer: pointer, refusingUser: detail)
        try validate(url, pointer: pointer)
        return vault.seal(url: url.text)
    }

    /// A mirror is asked by GET, and what it has can be told to be the same only by what a GET answers.
    private func refuseMirrors(_ mirrors: [String], of url: SourceURL, posts: Bool) throws(ServiceError) {
        guard posts || !url.abilities.mirrors, !mirrors.isEmpty else { return }
        let what = posts ? "requested by POST" : "fetched by \(url.scheme)"
        throw .unprocessable([Violation("/mirrors", .malformed, "A file \(what) has no mirrors.")])
    }

    private func checkDeadline(_ deadline: Timestamp?, now: Timestamp) throws(ServiceError) {
        guard let deadline, deadline <= now else { return }
        throw .unprocessable([Violation("/deadline_at", .malformed, "Expected an instant in the future.")])
    }

    private func check(notBefore: Timestamp?, deadline: Timestamp?) throws(ServiceError) {
        guard let notBefore, let deadline, deadline <= notBefore else { return }
        throw .unprocessable([
            Violation("/not_before", .malformed, "Expected an instant before deadline_at.")
        ])
    }

    private func checkConnections(_ count: Int?) throws(ServiceError) {
        let most = settings.maxConnectionsPerDownload
        guard let count, count > most else { return }
        throw .unprocessable([
            Violation(
                "/limits/connections",
                .malformed,
                "Expected at most \(most), the setting max_connections_per_download."
            )
        ])
    }
}

extension DownloadValidator {
    /// What a scheme has no place for is refused, and not left out silently.
    func refuseWhatOnlyHTTPHas(in credentials: RequestCredentials, of url: SourceURL) throws(ServiceError) {
        let abilities = url.abilities
        guard !abilities.headerFields else { return }
        var violations: [Violation] = []
        func refuse(_ pointer: JSONPointer, _ what: String) {
            violations.append(Violation(pointer, .malformed, "\(url.scheme) has no \(what)."))
        }
        if !credentials.headers.isEmpty { refuse("/request_headers", "header fields") }
        if !credentials.cookies.isEmpty { refuse("/cookies", "cookies") }
        if credentials.postBody != nil { refuse("/method", "POST") }
        if !abilities.proxies, case .server? = credentials.proxy { refuse("/proxy", "proxy") }
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
