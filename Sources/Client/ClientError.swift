public import FoundationEssentials

/// Why a request has no result.
public enum ClientError: Error, Hashable, Sendable {
    /// The text is not the root URL of a service. The second text says why.
    case invalidServer(String, String)
    /// The token has a character that cannot be sent in a header field.
    case invalidToken
    /// The service could not be reached, or its answer broke off: its URL, and the reason for a person.
    case unreachable(server: String, reason: String)
    /// The service refused the request or failed.
    case problem(Problem)
    /// The answer is not one of a Cormorant service: its HTTP status, and the start of its body.
    case notCormorant(status: Int, excerpt: String)
    /// The answer has no member that the client needs, or one of another type.
    case undecodable(String)
    /// The task was cancelled, or the client was shut down.
    case cancelled
}

extension ClientError: CustomStringConvertible {
    /// A sentence for a person.
    public var description: String {
        switch self {
        case .invalidServer(let text, let reason): "'\(text)' is not the URL of a service. \(reason)"
        case .invalidToken: "The token has a character that cannot be sent. Expected printable ASCII."
        case .unreachable(let server, let reason): "\(server) does not answer: \(reason)"
        case .problem(let problem): problem.description
        case .notCormorant(let status, let excerpt):
            "The answer is not one of a Cormorant service: HTTP \(status)\(excerpt.isEmpty ? "" : ", \(excerpt)")."
        case .undecodable(let reason): "The answer of the service cannot be read: \(reason)"
        case .cancelled: "The request was cancelled."
        }
    }
}

/// A problem document of the service (RFC 9457). Members that this version does not know are ignored.
public struct Problem: Error, Hashable, Sendable, Codable {
    /// What is wrong with one part of a request.
    public struct Violation: Hashable, Sendable, Codable {
        /// A JSON Pointer into the body, if the body is wrong.
        public var pointer: String?
        /// The name of a query or path parameter.
        public var parameter: String?
        /// The name of a header field.
        public var header: String?
        /// A stable word, such as `unknown_word`.
        public var code: String?
        /// A sentence for a person.
        public var detail: String?
    }

    /// The path that explains the problem, such as `/problems/not-found`.
    public var type: String
    public var title: String?
    /// The HTTP status.
    public var status: Int
    /// What is wrong in this case, for a person.
    public var detail: String?
    /// The path of the problem document's request.
    public var instance: String?
    public var requestID: String?
    /// The parts of the request that are wrong.
    public var errors: [Violation]?
    /// The state of the download that refused an action.
    public var state: String?
    /// The action that was refused.
    public var action: String?
    /// The actions that are possible now.
    public var allowedActions: [String]?
    /// The download that is in the way.
    public var downloadID: String?
    /// What differs from the download that has the key.
    public var existing: JSONValue?
    public var requested: JSONValue?
    /// The current revision, if another one was expected.
    public var revision: Int64?
    /// A stable word for the cause.
    public var reason: String?
    public var limitBytes: Int64?
    /// The media types that are accepted.
    public var accepted: [String]?
    public var previousSecretExpiresAt: Date?
    /// The number of the oldest event that is kept.
    public var oldestSeq: Int64?
    /// Seconds until a repeated request may succeed, from the header field `Retry-After`.
    public var retryAfterSeconds: Int?
    /// The path of the refused request, percent-encoded. The client sets it.
    public var path: String?

    enum CodingKeys: String, CodingKey {
        case type, title, status, detail, instance, errors, state, action, allowedActions, existing, requested
        case revision, reason, limitBytes, accepted, previousSecretExpiresAt, oldestSeq, retryAfterSeconds
        case requestID = "requestId"
        case downloadID = "downloadId"
    }

    public init(type: String, status: Int, title: String? = nil, detail: String? = nil) {
        self.type = type
        self.status = status
        self.title = title
        self.detail = detail
    }

    /// The last part of ``type``, such as `not-found`.
    public var slug: String { type.split(separator: "/").last.map { String($0) } ?? type }
}

extension Problem: CustomStringConvertible {
    /// One line for the problem, and one for each part of the request that is wrong.
    public var description: String {
        let violations = (errors ?? []).compactMap { violation -> String? in
            guard let text = violation.detail, text != detail else { return nil }
            let place = violation.pointer ?? violation.parameter ?? violation.header
            return place.map { $0.isEmpty ? text : "\($0): \(text)" } ?? text
        }
        let summary = detail ?? title ?? "HTTP \(status)"
        return ([summary] + violations).joined(separator: "\n")
    }
}
