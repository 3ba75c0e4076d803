import Core
import Service

extension DownloadDraft {
    /// What `POST /downloads` asks for.
    init(_ body: CreateDownloadBody) {
        self.init(url: body.url)
        mirrors = body.mirrors
        metalink = body.metalink
        refreshURL = body.refreshURL
        directory = body.directory
        filename = body.filename
        onConflict = body.onConflict
        session = body.session
        requestHeaders = body.requestHeaders
        authentication = body.authentication
        cookies = body.cookies
        postBody = body.postBody
        proxy = body.proxy
        expected = body.expected
        maxBytes = body.limits.maxBytes
        rateBytesPerSecond = body.limits.rateBytesPerSecond
        connections = body.limits.connections
        maxAttempts = body.maxAttempts
        deadlineAt = body.deadlineAt
        priority = body.priority
        notBefore = body.notBefore
        starts = body.starts
        description = body.description
        labels = body.labels
        metadata = body.metadata
        dedupeKey = body.dedupeKey
        acceptsUnverifiedLength = body.acceptsUnverifiedLength
        callbackURL = body.callbackURL
        webhookIDs = body.webhookIDs
    }
}

extension DownloadChange {
    /// What `PATCH /downloads/{id}` asks for.
    init(_ body: PatchDownloadBody) {
        self.init()
        action = body.action
        keepsPartial = body.keepsPartial
        expectedRevision = body.expectedRevision
        url = body.url
        mirrors = body.mirrors
        refreshURL = body.refreshURL
        deadlineAt = body.deadlineAt
        maxBytes = body.limits.maxBytes
        rateBytesPerSecond = body.limits.rateBytesPerSecond
        connections = body.limits.connections
        maxAttempts = body.maxAttempts
        priority = body.priority
        notBefore = body.notBefore
        requestHeaders = body.requestHeaders.map(Self.transform)
        authentication = body.authentication
        cookies = body.cookies.map(Self.transform)
        post = body.post.map(Self.transform)
        proxy = body.proxy
        description = body.description
        labels = body.labels.map(Self.transform)
        metadata = body.metadata.map(Self.transform)
    }

    private static func transform(_ patch: HeaderPatch) -> HeadersTransform {
        { headers in patch.applied(to: headers) }
    }

    private static func transform(_ patch: CookiePatch) -> CookiesTransform {
        { cookies in patch.applied(to: cookies) }
    }

    private static func transform(_ patch: PostPatch) -> PostTransform {
        { current throws(ServiceError) in
            try reporting { () throws(BodyError) in try patch.applied(to: current) }
        }
    }

    private static func transform(_ patch: ClientObjectPatch) -> ObjectTransform {
        { current throws(ServiceError) in
            try reporting { () throws(BodyError) in try patch.applied(to: current) }
        }
    }
}

/// What is wrong with a patch only in the light of what it changes.
func reporting<Value>(_ body: () throws(BodyError) -> Value) throws(ServiceError) -> Value {
    do throws(BodyError) {
        return try body()
    } catch {
        switch error {
        case .json: throw .invalid([])
        case .violations(let violations):
            throw .invalid(violations.map { ServiceError.Violation(pointer: $0.pointer.text, detail: $0.detail) })
        }
    }
}
