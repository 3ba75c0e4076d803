import HTTPServer
import HTTPTypes
import TestSupport
import Testing

/// The same answers to the same bytes, whatever version of libmicrohttpd is linked (docs/decisions/0054).
@Suite(.hangLimit) struct RawRequestTests {
    @Test(arguments: RawRequest.groups.map(\.name))
    func eachRequestHasItsOutcomeOnEachVersion(_ group: String) async throws {
        let requests = try #require(RawRequest.groups.first { $0.name == group }).requests
        let isIncomplete = group == "incomplete"
        let configuration = configured {
            // libmicrohttpd may overlook until then that it has closed a connection itself.
            $0.idleTimeout = .seconds(10)
            guard isIncomplete else { return }
            $0.headerDeadline = .milliseconds(500)
            $0.bodyDeadline = .milliseconds(500)
        }
        let server = try HTTPServer(configuration: configuration, refuse: renderProblem, handler: echoAll)
        let port = server.port
        await withTaskGroup { tasks in
            for request in requests {
                tasks.addTask {
                    let seen = try? await blocking { try Observation(of: request, port: port, hasProbe: !isIncomplete) }
                    #expect(seen?.outcome == request.outcome(on: .linked), "\(request.name)")
                    if let echo = request.echo, request.outcome(on: .linked).contains("200") {
                        #expect(seen?.echo == echo, "\(request.name)")
                    }
                }
            }
        }
        await server.shutdown(deadline: .seconds(5))
    }

    @Test func noTwoRequestsHaveTheSameName() {
        let names = RawRequest.groups.flatMap(\.requests).map(\.name)

        #expect(Set(names).count == names.count)
    }
}

private func renderProblem(_ refusal: Refusal, _ head: ServerRequest.Head?) -> ServerResponse {
    ServerResponse(
        status: refusal.status,
        headerFields: [.contentType: "application/problem+json"],
        body: .bytes(Array(refusal.code.rawValue.utf8))
    )
}

private func echoAll(_ request: ServerRequest) async -> ServerResponse {
    let body = String(decoding: request.body, as: UTF8.self)
    let field = HTTPField.Name("X").flatMap { request.headerFields[$0] } ?? ""
    let text = "\(request.method.rawValue) \(request.path) \(request.query ?? "-") \(body) \(field)"
    return ServerResponse(status: .ok, body: .bytes(Array(text.utf8)))
}
