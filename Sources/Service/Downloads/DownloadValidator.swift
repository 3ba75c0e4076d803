import Core
import Transfer
import TransferRules

/// Validates requests and patches against the settings and the destination policy, and encrypts their secrets.
struct DownloadValidator {
    let settings: ServiceSettings
    let vault: CredentialVault
    /// The roots of the settings.
    let roots: [RootName]

    /// The validated request in its stored form.
    ///
    /// - Throws: ``ServiceError`` if the settings or the policy do not allow the request.
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
        try checkExpiry(request.retention?.instant, now: now)
        try checkConnections(request.connections)
        try validate(request.root)
        try refuseContradictions(of: request.onConflict, request.expected, posts: credentials.postBody != nil)
        request.directory = try directory(requested.directory, of: request, at: now)
        request.url = vault.seal(request.url)
        request.mirrors = try mirrors(request.mirrors)
        request.refreshURL = try request.refreshURL.map(refreshURL)
        request.callbackURL = try request.callbackURL.map(callbackURL)
        request.credentials = credentials.isEmpty ? nil : vault.seal(credentials)
        request.summary = RequestSummary(credentials)
        return request
    }

    /// - Parameter current: The current download.
    func edit(_ patch: DownloadPatch, of current: Download, now: Timestamp) throws(ServiceError) -> DownloadEdit {
        guard patch.hasEdit else { return DownloadEdit() }
        var edit = patch.edit
        try changeSource(of: current.request, as: patch, &edit)
        let posts = edit.summary.map { $0.postedBytes != nil } ?? (current.request.summary.postedBytes != nil)
        let url = edit.url ?? current.request.url
        try refuseMirrors(edit.mirrors ?? current.request.mirrors, of: url, posts: posts)
        edit.mirrors = try edit.mirrors.map { (urls) throws(ServiceError) in try mirrors(urls) }
        edit.refreshURL = try edit.refreshURL.map(refreshURL)
        try checkExpiry(edit.retention.newInstant, now: now)
        try checkExpiry(edit.retention, of: current)
        try checkSchedule(edit, of: current.request, now: now)
        if let connections = edit[\.connections] { try checkConnections(connections) }
        if let root = edit.root { try validate(root) }
        edit.expected = patch.expected?.applied(to: current.request.expected)
        if edit.expected != nil || edit.summary != nil {
            let expected = edit.expected ?? current.request.expected
            let pointer: JSONPointer = edit.expected == nil ? "/method" : "/expected"
            try refuseContradictions(of: current.request.onConflict, expected, posts: posts, at: pointer)
        }
        edit.labels = try merged(patch.labels, current.request.labels)
        edit.metadata = try merged(patch.metadata, current.request.metadata)
        if let change = patch.directory {
            var request = current.request
            edit.apply(to: &request)
            edit.directory = try directory(change.value, of: request, at: now).map { .set($0) } ?? .clear
        }
        return edit
    }

    private func checkSchedule(
        _ edit: DownloadEdit,
        of current: DownloadRequest,
        now: Timestamp
    ) throws(ServiceError) {
        let (deadline, notBefore) = (edit[\.deadline], edit[\.notBefore])
        guard deadline != nil || notBefore != nil else { return }
        try checkDeadline(deadline?.chosen, now: now)
        try check(notBefore: notBefore ?? current.notBefore, deadline: (deadline ?? current.deadline).chosen)
    }

    private func validate(_ root: RootName) throws(ServiceError) {
        guard !roots.contains(root) else { return }
        let names = roots.compactMap(\.shown).map { "\"\($0)\"" }
        let expected =
            names.isEmpty
            ? "Expected none, as the setting roots is empty." : "Expected \(names.joined(separator: ", ")) or none."
        throw .unprocessable([Violation("/root", .unknownWord, "There is no such root. \(expected)")])
    }

    /// The folder with its variables replaced.
    private func directory(
        _ template: DirectoryTemplate?,
        of request: DownloadRequest,
        at now: Timestamp
    ) throws(ServiceError) -> RelativeDirectory? {
        do throws(InvalidTemplate) {
            return try template?.expanded(for: request, at: now)
        } catch {
            throw .unprocessable([Violation("/directory", error.code, error.explanation)])
        }
    }

    private func merged(
        _ patch: ObjectPatch?,
        _ current: JSONText?
    ) throws(ServiceError) -> DownloadEdit.Change<JSONText>? {
        guard let patch else { return nil }
        do { return try patch.applied(to: current) } catch { throw .invalid(error.all) }
    }

    /// Validates the text of the URL. The addresses of its host name are checked at each connection.
    func validate(_ url: DownloadURL, pointer: JSONPointer = "/url") throws(ServiceError) {
        guard url.isComplete, let scheme = URLScheme(url.scheme) else {
            throw .destinationForbidden(.scheme, pointer: pointer)
        }
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

    /// Each mirror must meet the same rules as the URL.
    private func mirrors(_ urls: [DownloadURL]) throws(ServiceError) -> [DownloadURL] {
        var mirrors: [DownloadURL] = []
        for (index, url) in urls.enumerated() {
            let mirror = try sealed(url, pointer: "/mirrors/\(index)")
            if !mirrors.contains(mirror) { mirrors.append(mirror) }
        }
        return mirrors
    }

    /// The refresh URL must meet the same rules as the URL.
    private func refreshURL(_ url: DownloadURL) throws(ServiceError) -> DownloadURL {
        try sealed(url, pointer: "/refresh_url")
    }

    /// A callback URL lets clients choose where the service sends requests, so the operator must allow it.
    func callbackURL(_ url: DownloadURL) throws(ServiceError) -> DownloadURL {
        guard settings.allowsCallbacks else {
            let detail = "callback_url needs the setting allow_inline_callbacks."
            throw .unprocessable([Violation("/callback_url", .malformed, detail)])
        }
        try settings.webhooks.validate(url, pointer: "/callback_url")
        return vault.seal(url, hiding: .path)
    }

    private func refreshURL(
        _ change: DownloadEdit.Change<DownloadURL>
    ) throws(ServiceError) -> DownloadEdit.Change<DownloadURL> {
        switch change {
        case .set(let url): .set(try refreshURL(url))
        case .clear: .clear
        }
    }

    private func sealed(_ url: DownloadURL, pointer: JSONPointer) throws(ServiceError) -> DownloadURL {
        try validate(url, pointer: pointer)
        return vault.seal(url)
    }

    /// A mirror is requested by GET, whose content cannot be compared with the response to a POST.
    private func refuseMirrors(_ mirrors: [DownloadURL], of url: DownloadURL, posts: Bool) throws(ServiceError) {
        guard posts || !url.abilities.mirrors, !mirrors.isEmpty else { return }
        let what = posts ? "requested by POST" : "fetched by \(url.scheme)"
        throw .unprocessable([Violation("/mirrors", .malformed, "A file \(what) has no mirrors.")])
    }

    private func checkDeadline(_ deadline: Timestamp?, now: Timestamp) throws(ServiceError) {
        guard let deadline, deadline <= now else { return }
        throw .unprocessable([Violation("/deadline_at", .malformed, "Expected an instant in the future.")])
    }

    func checkExpiry(_ instant: Timestamp?, now: Timestamp) throws(ServiceError) {
        guard let instant, instant <= now else { return }
        throw .unprocessable([Violation("/expires_at", .malformed, "Expected an instant in the future.")])
    }

    /// What is being removed is not kept any more.
    private func checkExpiry(_ changes: RetentionChanges, of current: Download) throws(ServiceError) {
        guard !changes.isEmpty, current.state == .completed, current.file?.expiredAt != nil else { return }
        let pointer: JSONPointer = changes.instant == nil ? "/keep_file_seconds" : "/expires_at"
        throw .unprocessable([
            Violation(pointer, .malformed, "The file expired and was removed. Create a new download to fetch it again.")
        ])
    }

    private func check(notBefore: Timestamp?, deadline: Timestamp?) throws(ServiceError) {
        guard let notBefore, let deadline, deadline <= notBefore else { return }
        throw .unprocessable([
            Violation("/not_before_at", .malformed, "Expected an instant before deadline_at.")
        ])
    }

    /// `skip` needs an expectation to compare the file with. `if_newer` takes whatever version the origin has, so an
    /// expectation of one version contradicts it.
    private func refuseContradictions(
        of policy: ConflictPolicy,
        _ expected: Expected,
        posts: Bool,
        at pointer: JSONPointer = "/on_conflict"
    ) throws(ServiceError) {
        let fault: String
        switch policy {
        case .skip where !expected.namesOneFile:
            fault = """
                skip compares the file with the expected one. Expected expected.size_bytes or expected.digests: set \
                one, or use rename or if_newer.
                """
        case .ifNewer where expected.namesOneFile:
            fault = """
                if_newer fetches whatever version the origin has, and expected.size_bytes and expected.digests name \
                one. Leave them out, or use skip or overwrite.
                """
        case .ifNewer where posts:
            fault = "if_newer needs a GET: the response to a POST depends on its body. Use overwrite."
        case .rename, .overwrite, .fail, .skip, .ifNewer: return
        }
        throw .unprocessable([Violation(pointer, .malformed, fault)])
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
    /// Refuses members that the scheme cannot send. Ignoring them would mislead the client.
    func refuseWhatOnlyHTTPHas(in credentials: RequestCredentials, of url: DownloadURL) throws(ServiceError) {
        let abilities = url.abilities
        var violations: [Violation] = []
        func refuse(_ pointer: JSONPointer, _ what: String) {
            violations.append(Violation(pointer, .malformed, "\(url.scheme) has no \(what)."))
        }
        if !abilities.proxies, case .server? = credentials.proxy { refuse("/proxy", "proxy") }
        if !abilities.headerFields { refuseHeaderFields(in: credentials, refuse) }
        guard violations.isEmpty else { throw .unprocessable(violations) }
    }

    /// Refuses what is sent in header fields, and all authentication but a user name and a password.
    private func refuseHeaderFields(
        in credentials: RequestCredentials,
        _ refuse: (_ pointer: JSONPointer, _ what: String) -> Void
    ) {
        if !credentials.headers.isEmpty { refuse("/request_headers", "header fields") }
        if !credentials.cookies.isEmpty { refuse("/cookies", "cookies") }
        if credentials.postBody != nil { refuse("/method", "POST") }
        switch credentials.authentication {
        case .basic(let username, let password):
            // A line break would start another command on FTP's control connection.
            guard (username + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { break }
            refuse("/authentication", "control characters in a user or password")
        case .digest, .bearer: refuse("/authentication", "other authentication than a user and a password")
        case nil: break
        }
    }
}
