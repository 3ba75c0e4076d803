import Core
import HTTPServer
import HTTPTypes
import Service

/// A problem response: the problem, and the header fields that belong to it.
struct Problem: Error {
    /// A class keeps `Problem` small: every call that may throw a problem reserves space for one while it is suspended.
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

    /// The cause, for the log only.
    var cause: String? {
        get { content.cause }
        set { content = Content(body, fields, cause: newValue) }
    }

    func with(_ name: HTTPField.Name, _ value: String) -> Self {
        var problem = self
        problem.fields[name] = value
        return problem
    }

    /// Adds a cause, which is logged but not sent.
    func because(_ cause: String) -> Self {
        var problem = self
        problem.cause = cause
        return problem
    }

    /// Adds `Retry-After`, in seconds.
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
    /// The problem for whatever a handler throws.
    init(mapping error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as BodyError: self.init(ProblemBody(error))
        default: self.init(because: ServiceError(error))
        }
    }

    /// The problem for an error of the service.
    init(because error: ServiceError) {
        self.init(error.type, error.detail, errors: error.violations.map(ProblemError.init), extras: error.extras)
        if let seconds = error.retryAfterSeconds { self = retryAfter(seconds) }
        cause = error.cause
    }
}

extension ServiceError {
    /// The additional members of the problem's type.
    fileprivate var extras: [ProblemBody.Extra] {
        switch self {
        case .destinationForbidden(let reason, _): [.reason(reason)]
        case .invalidTransition(let refusal):
            [.state(refusal.state), .action(refusal.action), .allowedActions(refusal.allowedActions)]
        case .dedupeKeyTaken(let holder, let state):
            [.state(state), .action(.retry), .allowedActions(state.allowedActions(in: nil)), .downloadID(holder)]
        case .dedupeConflict(let conflict):
            [.downloadID(conflict.download), .existing(conflict.existing), .requested(conflict.requested)]
        case .revisionMismatch(let current): [.revision(current)]
        case .fieldLocked(_, let state), .notTerminal(let state), .fileNotReady(let state): [.state(state)]
        case .rotationInProgress(let end): [.previousSecretExpiresAt(end)]
        default: []
        }
    }
}
