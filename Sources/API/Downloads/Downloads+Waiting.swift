import Core
import HTTPServer
import HTTPTypes
import Service

/// Responses that wait as long as the client prefers (`Prefer: wait`, RFC 7240, section 4.3).
extension Downloads {
    /// Always responds with the current download, even after a timeout. Its revision and state show whether the
    /// condition is met.
    func wait(
        for condition: WaitCondition,
        of id: DownloadID,
        seconds: Int64,
        _ detail: DownloadDetail
    ) async throws -> ServerResponse {
        let current = try await service.download(id)
        let waited = try await hub.download(id, within: .seconds(seconds)) {
            condition.isReached($0, from: current.download)
        }
        guard let waited else { return show(current, .ok, Self.patchFields, detail) }
        return show(waited, .ok, Self.applied(seconds, Self.patchFields), detail)
    }

    /// Waits until the download that a request created or found has ended, then responds with its current state. A
    /// repeated request waits again, so a client whose connection broke can repeat its request.
    ///
    /// If the download can no longer be read, the original response is sent.
    func waiting(_ response: ServerResponse, _ context: RequestContext) async -> ServerResponse {
        guard let id = response.headerFields[.location].flatMap(Self.id(atPath:)) else { return response }
        var response = response
        if context.prefersAsync { response.headerFields[.preferenceApplied] = RequestContext.respondAsync }
        guard let seconds = context.preferredWait else { return response }
        do {
            let view = try await hub.download(id, within: .seconds(seconds)) { $0.state.isTerminal }
            guard let view else { return response }
            return show(view, response.status, Self.applied(seconds, response.headerFields))
        } catch {
            return response
        }
    }

    private static func applied(_ seconds: Int64, _ fields: HTTPFields) -> HTTPFields {
        var fields = fields
        let others = fields[.preferenceApplied].map { "\($0), " } ?? ""
        fields[.preferenceApplied] = "\(others)wait=\(seconds)"
        return fields
    }
}

/// The condition that a client waits for.
enum WaitCondition {
    case terminal
    /// A revision other than this one; nil means other than the current one.
    case change(from: Int64?)

    /// - Returns: nil if the query names no condition.
    init?(_ query: Query) throws(Problem) {
        let revision = try query.number("after_revision")
        switch query["until"] {
        case nil: return nil
        case "terminal": self = .terminal
        case "change": self = .change(from: revision)
        default: throw query.refusal("until", "Expected 'terminal' or 'change'.")
        }
    }

    /// - Parameter current: The download at the time when the wait began.
    func isReached(_ download: Download, from current: Download) -> Bool {
        switch self {
        case .terminal: download.state.isTerminal
        case .change(let revision): download.revision != revision ?? current.revision
        }
    }
}
