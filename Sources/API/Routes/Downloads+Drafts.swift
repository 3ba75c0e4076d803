import Jobs
import Model
import Wire

extension DownloadDraft {
    /// What `POST /downloads` asks for.
    init(_ body: CreateDownloadBody) {
        self.init(url: body.url)
        directory = body.directory
        filename = body.filename
        onConflict = body.onConflict
        session = body.session
        requestHeaders = body.requestHeaders
        expected = body.expected
        maxBytes = body.limits.maxBytes
        rateBytesPerSecond = body.limits.rateBytesPerSecond
        maxAttempts = body.maxAttempts
        deadlineAt = body.deadlineAt
        priority = body.priority
        notBefore = body.notBefore
        starts = body.starts
        labels = body.labels
        metadata = body.metadata
        dedupeKey = body.dedupeKey
        acceptsUnverifiedLength = body.acceptsUnverifiedLength
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
        deadlineAt = body.deadlineAt
        maxBytes = body.limits.maxBytes
        rateBytesPerSecond = body.limits.rateBytesPerSecond
        maxAttempts = body.maxAttempts
        priority = body.priority
        notBefore = body.notBefore
        requestHeaders = body.requestHeaders.map(Self.transform)
        labels = body.labels.map(Self.transform)
        metadata = body.metadata.map(Self.transform)
    }

    private static func transform(_ patch: HeaderPatch) -> HeadersTransform {
        { headers in patch.applied(to: headers) }
    }

    private static func transform(_ patch: ClientObjectPatch) -> ObjectTransform {
        { current throws(JobError) in try merged(patch, into: current) }
    }

    private static func merged(
        _ patch: ClientObjectPatch,
        into current: JSONText?
    ) throws(JobError) -> DownloadEdit.Change<JSONText> {
        do throws(BodyFault) {
            return try patch.applied(to: current)
        } catch {
            switch error {
            case .json: throw .invalid([])
            case .violations(let violations):
                throw .invalid(violations.map { JobError.Violation(pointer: $0.pointer.text, detail: $0.detail) })
            }
        }
    }
}
