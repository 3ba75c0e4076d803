public import Core
import HTTPFields

/// The JSON of a problem (RFC 9457, `application/problem+json`).
public struct ProblemBody: Hashable, Sendable {
    public var type: ProblemType
    /// The response's status. It differs from the type's status if the HTTP server refused the request before routing.
    public var status: Int
    /// What is wrong in this case, for a person. It contains no secret.
    public var detail: String?
    public var requestID: String?
    public var errors: [ProblemError]
    public var extras: [Extra]

    /// The additional members of some types.
    public enum Extra: Hashable, Sendable {
        case state(DownloadState)
        case action(DownloadAction)
        case allowedActions([DownloadAction])
        /// The conflicting download.
        case downloadID(DownloadID)
        /// The files of the existing download and of a request that would join it.
        case existing(DedupeConflict.Description)
        case requested(DedupeConflict.Description)
        case revision(Int64)
        /// The reason why a destination is refused.
        case reason(DestinationReason)
        case limitBytes(Int64)
        /// The oldest event in the log; nil if the log is empty.
        case oldestSequence(Int64?)
        /// The accepted media types.
        case accepted([String])
        case previousSecretExpiresAt(Timestamp)
    }

    public init(
        _ type: ProblemType,
        detail: String? = nil,
        requestID: String? = nil,
        errors: [ProblemError] = [],
        extras: [Extra] = []
    ) {
        self.type = type
        status = type.status
        self.detail = detail
        self.requestID = requestID
        self.errors = errors
        self.extras = extras
    }

    /// The JSON of the body, `application/problem+json`.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("type", type.path)
            writer.member("title", type.title)
            writer.member("status", status)
            if let detail { writer.member("detail", detail) }
            if let requestID {
                writer.member("instance", "/requests/\(requestID)")
                writer.member("request_id", requestID)
            }
            if !errors.isEmpty {
                writer.name("errors")
                writer.array(errors) { $1.write(to: &$0) }
            }
            for extra in extras { extra.write(to: &writer) }
        }
    }
}

extension ProblemBody.Extra {
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .state(let state): writer.member("state", state.rawValue)
        case .action(let action): writer.member("action", action.rawValue)
        case .allowedActions(let actions): writer.member("allowed_actions", words: actions.map(\.rawValue))
        case .downloadID(let id): writer.member("download_id", id.text)
        case .existing(let description): writer.member("existing", description)
        case .requested(let description): writer.member("requested", description)
        case .revision(let revision): writer.member("revision", revision)
        case .reason(let reason): writer.member("reason", reason.rawValue)
        case .limitBytes(let limit): writer.member("limit_bytes", limit)
        case .oldestSequence(let sequence): writer.member("oldest_seq", sequence)
        case .accepted(let types): writer.member("accepted", words: types)
        case .previousSecretExpiresAt(let time): writer.member("previous_secret_expires_at", time)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ description: DedupeConflict.Description) {
        member(name) { writer in
            writer.member("url", RedactedURL(description.url).text)
            writer.member("expected") { writer in
                writer.member("size_bytes", description.expected.sizeBytes)
                writer.digests("digests", description.expected.digests)
                writer.member("content_type", description.expected.mediaType?.essence)
            }
        }
    }

    fileprivate mutating func member(_ name: String, words: [String]) {
        self.name(name)
        array(words) { $0.string($1) }
    }
}
