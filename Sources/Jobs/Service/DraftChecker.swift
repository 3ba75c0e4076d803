import Model
import Transfers

/// Turns what a caller asked for into a request that can be stored, or says what is wrong with it.
struct DraftChecker {
    let settings: JobSettings
    let vault: CredentialVault

    func request(_ draft: DownloadDraft, now: Timestamp) throws(JobError) -> DownloadRequest {
        var violations: [JobError.Violation] = []
        let directory = check("/directory", draft.directory, &violations, RelativeDirectory.init(validating:))
        let filename = check("/filename", draft.filename, &violations, FileName.init(validating:))
        let (url, credentials) = try source(draft.url, headers: draft.requestHeaders, &violations)
        guard violations.isEmpty, let url else { throw .invalid(violations) }
        try judge(url)
        try checkDeadline(draft.deadlineAt, now: now)
        return DownloadRequest(
            url: url,
            session: draft.session,
            directory: directory,
            filename: filename,
            onConflict: draft.onConflict,
            credentials: credentials.isEmpty ? nil : vault.seal(credentials),
            headerNames: draft.requestHeaders.map(\.name),
            expected: draft.expected,
            maxBytes: limit(draft.maxBytes),
            maxAttempts: draft.maxAttempts,
            deadline: draft.deadlineAt.map(Deadline.at) ?? .afterCreation,
            acceptsUnverifiedLength: draft.acceptsUnverifiedLength,
            labels: draft.labels,
            metadata: draft.metadata,
            dedupeKey: draft.dedupeKey
        )
    }

    func edit(_ change: DownloadChange, of current: Download?, now: Timestamp) throws(JobError) -> DownloadEdit {
        var edit = DownloadEdit()
        var violations: [JobError.Violation] = []
        if let text = change.url {
            let (url, _) = try source(text, headers: [], &violations)
            if let url { try judge(url) }
            edit.url = url
        }
        guard violations.isEmpty else { throw .invalid(violations) }
        if change.requestHeaders != nil || change.url != nil {
            try replaceCredentials(change, of: current, in: &edit)
        }
        try checkDeadline(change.deadlineAt, now: now)
        edit.deadline = change.deadlineAt
        edit.maxBytes = change.maxBytes.map { $0.value.flatMap { limit($0) }.map { .set($0) } ?? .clear }
        edit.maxAttempts = change.maxAttempts
        edit.labels = change.labels
        edit.metadata = change.metadata
        return edit
    }

    /// Headers replace headers, and a URL's user information replaces the old one's; what the change does not
    /// speak of is kept only while it still goes to the same origin.
    private func replaceCredentials(
        _ change: DownloadChange,
        of current: Download?,
        in edit: inout DownloadEdit
    ) throws(JobError) {
        var credentials = current?.request.credentials.flatMap(vault.open) ?? RequestCredentials()
        if let url = edit.url, let old = current?.request.url, !url.isSameOrigin(as: old) {
            credentials = RequestCredentials()
        }
        if let text = change.url, let parsed = try? SourceURL.parse(text), parsed.user != nil {
            (credentials.user, credentials.password) = (parsed.user, parsed.password)
        }
        if let headers = change.requestHeaders { credentials.headers = headers.value ?? [] }
        edit.headerNames = credentials.headers.map(\.name)
        edit.credentials = credentials.isEmpty ? .clear : .set(vault.seal(credentials))
    }

    private func check<Value>(
        _ pointer: String,
        _ text: String?,
        _ violations: inout [JobError.Violation],
        _ make: (String) throws(InvalidName) -> Value
    ) -> Value? {
        guard let text else { return nil }
        do {
            return try make(text)
        } catch {
            violations.append(JobError.Violation(pointer: pointer, detail: error.explanation))
            return nil
        }
    }

    private func source(
        _ text: String,
        headers: [RequestCredentials.Header],
        _ violations: inout [JobError.Violation]
    ) throws(JobError) -> (SourceURL?, RequestCredentials) {
        if let scheme = Self.scheme(of: text), URLScheme(scheme) != .http, URLScheme(scheme) != .https {
            throw .destinationForbidden(.scheme)
        }
        do {
            let (url, user, password) = try SourceURL.parse(text)
            return (url, RequestCredentials(headers: headers, user: user, password: password))
        } catch {
            violations.append(JobError.Violation(pointer: "/url", detail: error.detail))
            return (nil, RequestCredentials())
        }
    }

    /// What stands before the first colon, if it is a scheme (RFC 3986, section 3.1).
    private static func scheme(of text: String) -> String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = text[..<colon]
        guard let first = scheme.first, first.isASCII, first.isLetter else { return nil }
        guard scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }) else { return nil }
        return String(scheme)
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

    /// The smaller of the caller's limit and the operator's.
    private func limit(_ maxBytes: Int64?) -> Int64? {
        [maxBytes, settings.maxDownloadBytes].compactMap(\.self).min()
    }
}

extension InvalidName {
    fileprivate var explanation: String {
        switch self {
        case .empty: "It is empty, or a part of it is."
        case .tooLong: "It is too long."
        case .separator: "It has a slash or backslash where none may stand."
        case .dots: "A part of it is '.' or '..'."
        case .controlCharacter: "It has a control character."
        case .bidiControl: "It has a character that turns the direction of writing."
        case .hidden: "It begins with a dot."
        case .outerSpaceOrDot: "It begins or ends with white space, or ends with a dot."
        case .reserved: "It is the name of a device on some systems."
        }
    }
}
