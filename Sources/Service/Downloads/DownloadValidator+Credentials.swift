import Core
import HTTPFields
import Transfer

/// Validates the source of a download and the credentials of its requests.
extension DownloadValidator {
    func changeSource(
        of request: DownloadRequest,
        as patch: DownloadPatch,
        _ edit: inout DownloadEdit
    ) throws(ServiceError) {
        guard patch.url != nil || !patch.credentialMembers.isEmpty else { return }
        let stored = StoredCredentials(request, vault)
        var credentials = stored.readable
        var dropsCredentials = false
        var hasNewUser = false
        if let given = patch.url {
            let url = given.url
            try validate(url)
            // Credentials for one origin must not be sent to another.
            if !url.isSameOrigin(as: request.url) {
                // The proxy is not specific to the origin, so it is kept.
                credentials = RequestCredentials(proxy: credentials.proxy)
                dropsCredentials = stored.isSealed
            }
            hasNewUser = given.user != nil
            if hasNewUser {
                (credentials.user, credentials.password) = (given.user, given.password)
                credentials.authentication = nil
            }
            edit.url = vault.seal(url)
        }
        try apply(patch, to: &credentials)
        // `authentication` replaces the user information of an earlier URL.
        if patch.authentication?.value != nil, !hasNewUser { (credentials.user, credentials.password) = (nil, nil) }
        guard dropsCredentials || !patch.credentialMembers.isEmpty || credentials != stored.readable else { return }
        guard !stored.hasUnreadableValue(in: credentials) else { throw .unprocessable([Self.unreadable]) }
        try refuseContradictions(in: credentials)
        try refuseWhatOnlyHTTPHas(in: credentials, of: edit.url ?? request.url)
        edit.summary = RequestSummary(credentials)
        edit.credentials = credentials.isEmpty ? .clear : .set(vault.seal(credentials))
        edit.credentialMembers = patch.credentialMembers
    }

    private func apply(_ patch: DownloadPatch, to credentials: inout RequestCredentials) throws(ServiceError) {
        if let headers = patch.requestHeaders { credentials.headers = headers.applied(to: credentials.headers) }
        if let cookies = patch.cookies { credentials.cookies = cookies.applied(to: credentials.cookies) }
        if let post = patch.post {
            do { credentials.postBody = try post.applied(to: credentials.postBody) } catch { throw .invalid(error.all) }
        }
        if let proxy = patch.proxy {
            try validate(proxy.value)
            credentials.proxy = proxy.value
        }
        if let authentication = patch.authentication { credentials.authentication = authentication.value }
    }

    /// A client's proxy could reach destinations that the policy forbids, because the service then does not see the
    /// origin's address.
    func validate(_ proxy: ProxyChoice?) throws(ServiceError) {
        guard let proxy else { return }
        guard settings.allowsClientProxies else { throw .destinationForbidden(.proxy, pointer: "/proxy") }
        guard case .server(let server) = proxy else { return }
        let scheme = server.policyScheme
        let refusal =
            IPAddress(urlHost: server.host).flatMap {
                settings.destinations.validate($0, port: server.port, scheme: scheme)
            } ?? settings.destinations.validate(port: server.port, scheme: scheme)
        if refusal != nil { throw .destinationForbidden(.proxy, pointer: "/proxy") }
    }

    /// Refuses credentials that are given twice in different members: one of them would not be sent.
    func refuseContradictions(in credentials: RequestCredentials) throws(ServiceError) {
        var violations: [Violation] = []
        if credentials.authentication != nil, credentials.user != nil {
            violations.append(
                Violation("/authentication", .malformed, "The URL has user information too. Give only one of them.")
            )
        }
        if credentials.authentication != nil, credentials.hasHeader("Authorization") {
            violations.append(
                Violation(
                    "/authentication",
                    .malformed,
                    "request_headers has Authorization too. Give only one of them."
                )
            )
        }
        if !credentials.cookies.isEmpty, credentials.hasHeader("Cookie") {
            violations.append(
                Violation("/cookies", .malformed, "request_headers has Cookie too. Give only one of them.")
            )
        }
        guard violations.isEmpty else { throw .unprocessable(violations) }
    }

    private static let unreadable = Violation(
        "/request_headers",
        .malformed,
        "The stored values cannot be decrypted with the current key. Give all of them again, or null."
    )
}

/// The stored credentials of a download, for an edit.
///
/// If credentials were encrypted with another key, only their names are known. A placeholder that no client can send
/// replaces each value, to detect whether an edit keeps any of them.
struct StoredCredentials {
    let isSealed: Bool
    let readable: RequestCredentials

    /// Clients cannot send U+0000 in a value.
    private static let placeholder = "\0"
    /// Longer than any body that a client can send.
    private static let bodyMark = [UInt8](repeating: 0, count: RequestFieldRules.maximumBodyBytes + 1)

    init(_ request: DownloadRequest, _ vault: CredentialVault) {
        isSealed = request.credentials != nil
        do {
            readable = try vault.credentials(of: request)
        } catch {
            readable = Self.unreadable(request.summary)
        }
    }

    /// The name is reserved (RFC 6761, section 6.4), so no client uses it.
    private static let proxyMark = ProxyChoice("http://unreadable.invalid:1")

    /// Whether `credentials` still contain a value that cannot be decrypted.
    func hasUnreadableValue(in credentials: RequestCredentials) -> Bool {
        credentials.headers.contains { $0.value == Self.placeholder }
            || credentials.cookies.contains { $0.value == Self.placeholder }
            || credentials.authentication == .bearer(token: Self.placeholder) || credentials.postBody == Self.bodyMark
            || (credentials.proxy != nil && credentials.proxy == Self.proxyMark)
    }

    private static func unreadable(_ summary: RequestSummary) -> RequestCredentials {
        RequestCredentials(
            headers: summary.headerNames.map { RequestCredentials.Header(name: $0, value: placeholder) },
            authentication: summary.scheme.map { _ in .bearer(token: placeholder) },
            cookies: summary.cookieNames.map { RequestCredentials.Cookie(name: $0, value: placeholder) },
            postBody: summary.postedBytes.map { _ in bodyMark },
            proxy: summary.proxy == nil ? nil : proxyMark
        )
    }
}
