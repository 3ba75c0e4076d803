import Foundation
import ServiceSupport
import TestSupport
import Testing

/// What a command says when the service, or a gateway before it, refuses.
@Suite(.timeLimit(.minutes(5)))
struct RefusalTests {
    private let folder = TemporaryFolder()
    private static let id = "01kdyak3seeejr3cp3tkjzc1rr"

    /// `wait` by name, by the start of an id and by session, while a gateway has no service yet.
    @Test(arguments: [["wait", "a.bin"], ["wait", "01kdyak3"], ["wait", "--session", "s"], ["watch", "a.bin"]])
    func aLookUpIsRepeatedWhileAGatewayHasNoService(_ command: [String]) async throws {
        let gateway = Behaviour { $0.response = .page(status: 502) }
        func json(_ text: String) -> Behaviour {
            Behaviour {
                $0.response = .bytes(Array(text.utf8))
                $0.contentType = "application/json"
            }
        }
        let item =
            #"{"id":"dl_\#(Self.id)","state":"completed","name":"a.bin","created_at":"2026-01-02T03:04:05.678Z"}"#
        let origin = Origin()
        defer { origin.stop() }
        let content = Content(size: 10)
        origin.serve("/downloads", content, script: [gateway, gateway, json(#"{"items":[\#(item)]}"#)])
        origin.serve("/sessions/s", content, script: [gateway, json(#"{"name":"s"}"#)])
        origin.serve(
            "/events",
            content,
            script: [
                gateway,
                Behaviour {
                    $0.response = .bytes(Array("event: snapshot\ndata: {\"items\":[],\"more\":false}\n\n".utf8))
                    $0.contentType = "text/event-stream"
                },
            ]
        )
        let result = try await CommandRun.result(of: command, environment: ["CORMORANT_SERVER": origin.base])

        #expect(result.exitCode == 0, "\(result.errors)")
    }

    @Test func otherCommandsReportAGatewayAtOnce() async throws {
        let origin = Origin(script: [.page(502)])
        defer { origin.stop() }
        let result = try await CommandRun.result(of: ["show", "a.bin"], environment: ["CORMORANT_SERVER": origin.base])

        #expect(result.exitCode == 76)
        #expect(origin.requests.count == 1)
    }
}
