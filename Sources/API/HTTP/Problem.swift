import Core
import HTTPServer
import HTTPTypes
import Service

/// A refusal on its way to the client: what is wrong, and the fields that go with it.
struct Problem: Error {
    /// An object, since every call that may throw a problem holds room for one as long as it waits.
    private final class Content: Sendable {
        let body: ProblemBody
        let fields: HTTPFields
        let cause: String?

        init(_ body: ProblemBody, _ fields: HTTPFields = [:], cause: String? = nil) {
            self.body = body
            self.fields = fields
            self.cause = cause
        }
    }

    private var content: Content

    init(_ type: ProblemType, _ detail: String? = nil, errors: [ProblemError] = [], extras: [ProblemBody.Extra] = []) {
        self.init(ProblemBody(type, detail: detail, errors: errors, extras: extras))
    }

    init(_ body: ProblemBody) {
        content = Content(body)
    }

    var body: ProblemBody {
        get { content.body }
        set { content = Content(newValue, fields, cause: cause) }
    }

    var fields: HTTPFields {
        get { content.fields }
        set { content = Content(body, newValue, cause: cause) }
    }

    /// What is at fault, for the log alone.
    var cause: String? {
        get { content.cause }
        set { content = Content(body, fields, cause: newValue) }
    }

    func with(_ name: HTTPField.Name, _ value: String) -> Self {
        var problem = self
        problem.fields[name] = value
        return problem
    }

    /// With what is at fault, which is logged and not sent.
    func because(_ cause: String) -> Self {
        var problem = self
        problem.cause = cause
        return problem
    }

    /// Told to try again, after so many seconds.
    func retryAfter(_ seconds: Int) -> Self { with(.retryAfter, "\(seconds)") }

    func response(requestID: String) -> ServerResponse {
        var body = body
        body.requestID = requestID
        var fields = fields
        fields[.contentType] = "application/problem+json"
        return ServerResponse(
            status: HTTPResponse.Status(code: body.status),
            headerFields: fields,
            body: .bytes(body.encoded())
        )
    }
}

extension Problem {
    /// How a refusal of the service is shown.
    init(because error: ServiceError) {
        switch error {
        case .invalid(let violations):
            self.init(
                .invalidRequest,
                "The request has invalid members.",
                errors: violations.map(ProblemError.init)
            )
        case .unprocessable(let violations):
            self.init(.unprocessable, "The request cannot be carried out.", errors: violations.map(ProblemError.init))
        case .destinationForbidden(let reason, let pointer):
            let extras = [ProblemBody.Extra.reason(ProblemBody.DestinationReason(reason))]
            self.init(.destinationForbidden, "The destination rules refuse this URL.", at: pointer, .forbidden, extras)
        case .notFound: self.init(.notFound)
        case .invalidTransition(let refusal): self.init(ProblemBody(refusal))
        case .dedupeKeyTaken(let holder, let state): self.init(ProblemBody(dedupeKeyTakenBy: holder, state))
        case .dedupeConflict(let conflict): self.init(ProblemBody(conflict))
        case .revisionMismatch(let current):
            self.init(.revisionMismatch, "The current revision is \(current).", extras: [.revision(current)])
        case .fieldLocked(let members, let state): self.init(ProblemBody(locked: members, in: state))
        case .notTerminal(let state):
            self.init(
                .notTerminal,
                "The download has not ended. Cancel it first, or use ?force=true.",
                extras: [.state(state)]
            )
        case .sessionNotTerminal(let open):
            self.init(.notTerminal, "\(open) downloads of the session have not ended. Cancel them first.")
        case .sessionSealed(let pointer):
            self.init(.sessionSealed, "The session is sealed: it accepts no new downloads.", at: pointer, .forbidden)
        case .busy:
            self = Self(.busy, "The file is being published. Try again in a second.").retryAfter(1)
        case .idempotencyKeyReused: self.init(.idempotencyKeyReused)
        case .queueFull: self = Self(.queueFull).retryAfter(10)
        case .quotaExceeded:
            let detail = "A file of \"expected.size_bytes\" has no room in the session."
            self.init(.quotaExceeded, detail, at: "/expected/size_bytes", .outOfRange)
        case .fileNotReady(let state):
            self.init(.fileNotReady, "The download is not completed.", extras: [.state(state)])
        case .fileGone: self.init(.fileGone)
        case .fileNotRemoved(let reason):
            self = Self(.internalError, "The file cannot be removed; the record stays: \(reason).").because(reason)
        case .webhookReadOnly(let origin):
            let owner = origin == .settings ? "the settings" : "the callback_url of a download or session"
            self.init(.webhookReadOnly, "The webhook belongs to \(owner). Change it there.")
        case .webhookDisabled: self.init(.webhookDisabled)
        case .rotationInProgress(let end):
            self.init(.rotationInProgress, extras: [.previousSecretExpiresAt(end)])
        case .tooManyStreams: self = Self(.tooManyStreams).retryAfter(10)
        case .draining: self = Self(.draining).retryAfter(5)
        case .insufficientStorage: self.init(.insufficientStorage)
        case .outcomeUnknown:
            self = Self(.outcomeUnknown).retryAfter(5).because("the disk failed while a change was being committed")
        case .overloaded: self = Self(.overloaded).retryAfter(1).because("the database or a descriptor is in use")
        case .unreadable(let cause):
            self = Self(.internalError, "The record of the download cannot be read. The log says why.").because(cause)
        case .internal(let cause): self = Self(.internalError).because(cause)
        }
    }
}

extension Problem {
    /// One mistake, at one place of the body, which is all that there is to say.
    fileprivate init(
        _ type: ProblemType,
        _ detail: String,
        at pointer: String,
        _ code: BodyViolation.Code,
        _ extras: [ProblemBody.Extra] = []
    ) {
        let place = ProblemError.Place.pointer(JSONPointer(text: pointer))
        self.init(type, detail, errors: [ProblemError(place, code: code, detail: detail)], extras: extras)
    }
}

extension ProblemError {
    fileprivate init(_ violation: ServiceError.Violation) {
        self.init(.pointer(JSONPointer(text: violation.pointer)), code: .malformed, detail: violation.detail)
    }
}

extension ProblemBody.DestinationReason {
    fileprivate init(_ reason: ServiceError.ForbiddenReason) {
        switch reason {
        case .scheme: self = .scheme
        case .port: self = .port
        case .address: self = .address
        case .proxy: self = .proxy
        }
    }
}
