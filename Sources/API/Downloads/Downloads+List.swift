import Core
import HTTPServer
import Service

extension Downloads {
    // MARK: - GET /downloads

    func list(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        let query = try Query(
            context.request.query,
            allowed: ["limit", "cursor", "state", "session"],
            problem: .invalidFilter
        )
        let filter = try filter(query)
        let list = Self.name(of: filter)
        let paging = try Paging(query, path: Self.path(query), list: list, cursors, key: DownloadID.init)
        let views = try await mappingServiceErrors { () async throws(ServiceError) in
            try await service.downloads(filter, before: paging.after, limit: paging.fetchLimit)
        }
        let now = time.now
        return paging.response(views, key: \.download.id.text) { DownloadBody($0, now) }
    }

    private func filter(_ query: Query) throws(Problem) -> DownloadFilter {
        var filter = DownloadFilter()
        if let text = query["state"] {
            for word in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let state = DownloadState(rawValue: String(word)) else {
                    throw query.refusal("state", "Expected a list of states, separated by commas.")
                }
                guard !filter.states.contains(state) else { throw query.refusal("state", "A state occurs twice.") }
                filter.states.append(state)
            }
        }
        if let text = query["session"] {
            guard let name = SessionName(text) else {
                throw query.refusal("session", "Expected the name of a session.")
            }
            filter.session = name
        }
        return filter
    }

    /// The canonical text of a list and its filters. A cursor is bound to it.
    private static func name(of filter: DownloadFilter) -> String {
        let states = filter.states.map(\.rawValue).sorted().joined(separator: ",")
        return "downloads state=\(states) session=\(filter.session?.text ?? "")"
    }

    private static func path(_ query: Query) -> String {
        let filters = ["state", "session"].compactMap { name in query[name].map { "\(name)=\($0)" } }
        return filters.isEmpty ? "/downloads" : "/downloads?" + filters.joined(separator: "&")
    }
}
