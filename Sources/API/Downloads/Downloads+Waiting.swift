import Core
import HTTPServer
import HTTPTypes
import Service

/// Answers that wait, as long as the client would (`Prefer: wait`).
extension Downloads {
    /// Always ends with the download as it is: the client sees by its revision and state whether it came to the goal.
    func wait(
        for condition: WaitCondition,
        of id: DownloadID,
        seconds: Int64,
        _ detail: DownloadDetail
    ) async throws(Problem) -> ServerResponse {
        let current = try await mappingServiceErrors { () async throws(ServiceError) in try await service.download(id) }
        let waited = try await mappingServiceErrors { () async throws(ServiceError) in
            try await hub.download(id, within: .seconds(seconds)) { condition.isReached($0, from: current.download) }
        }
        guard let waited else { return show(current, .ok, Self.patchFields, detail) }
        return show(waited, .ok, Self.applied(seconds, Self.patchFields), detail)
    }

    /// The answer to a request that made or found a download, once that has ended: the same one, with the download as
    /// it is then. A request that came before waits again, so that a client whose connection broke need only repeat it.
    ///
    /// What was answered before the wait holds: where the download can be read no more it is answered as it was.
    func waiting(_ response: ServerResponse, _ context: RequestContext) async -> ServerResponse {
        guard let id = response.headerFields[.location].flatMap(Self.id(atPath:)) else { return response }
        var response = response
        if context.prefersAsync { response.headerFields[.preferenceApplied] = RequestContext.respondAsync }
        guard let seconds = context.preferredWait else { return response }
        do throws(ServiceError) {
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

/// What a client waits for.
enum WaitCondition {
    case terminal
    /// Another revision than this; nil for the current one.
    case change(from: Int64?)

    /// - Returns: nil where the client waits for nothing.
    init?(_ query: Query) throws(Problem) {
        let revision = try query.number("after_revision")
        switch query["until"] {
        case nil: return nil
        case "terminal": self = .terminal
        case "change": self = .change(from: revision)
        default: throw query.refusal("until", "Expected 'terminal' or 'change'.")
        }
    }

    /// - Parameter current: The download as it was when the client began to wait.
    func isReached(_ download: Download, from current: Download) -> Bool {
        switch self {
        case .terminal: download.state.isTerminal
        case .change(let revision): download.revision != revision ?? current.revision
        }
    }
}
