import HTTPTypes
import MicroHTTP
import Wire

/// A refusal on its way to the client: what is wrong, and the fields that go with it.
struct Problem: Error {
    var body: ProblemBody
    var fields: HTTPFields
    /// What is at fault, for the log alone.
    var cause: String?

    init(_ type: ProblemType, _ detail: String? = nil, errors: [ProblemError] = [], extras: [ProblemBody.Extra] = []) {
        body = ProblemBody(type, detail: detail, errors: errors, extras: extras)
        fields = [:]
    }

    init(_ body: ProblemBody) {
        self.body = body
        fields = [:]
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
