import Jobs
import MicroHTTP
import Model

extension RequestContext {
    /// Answers a request that came before as it was answered then, whatever became since of what it speaks of.
    ///
    /// That is looked up before anything of it is judged, and again before it is refused: the first one may have been
    /// under way meanwhile, and have changed what the second was judged by.
    ///
    /// - Parameters:
    ///   - earlier: Looks the answer up.
    ///   - show: Sends it again.
    ///   - body: Answers a request that is new; nil for one that has no key.
    func replaying(
        _ earlier: (IdempotentRequest) async throws(JobError) -> StoredAnswer?,
        with show: (StoredAnswer) throws(Problem) -> ServerResponse,
        _ body: (IdempotentRequest?) async throws(Problem) -> ServerResponse
    ) async throws(Problem) -> ServerResponse {
        guard let request = try idempotentRequest() else { return try await body(nil) }
        func look() async throws(Problem) -> StoredAnswer? {
            try await asked { () async throws(JobError) in try await earlier(request) }
        }
        if let answer = try await look() { return try show(answer) }
        do {
            return try await body(request)
        } catch {
            if let answer = try await look() { return try show(answer) }
            throw error
        }
    }
}

extension Once {
    /// Answers with the outcome of a request.
    ///
    /// - Parameter replay: Sends an answer again.
    func response(
        _ show: (Outcome) throws(Problem) -> ServerResponse,
        replay: (StoredAnswer) throws(Problem) -> ServerResponse
    ) throws(Problem) -> ServerResponse {
        switch self {
        case .done(let outcome): try show(outcome)
        case .replayed(let answer): try replay(answer)
        case .keyReused: throw Problem(because: .idempotencyKeyReused)
        }
    }
}
