import Core
import ServiceSupport
import Testing
import TestSupport

/// A service that stops while it asks for another link.
@Suite(.timeLimit(.minutes(5)))
struct LinkStopTests {
    @Test func theNextStartAsksAgain() async throws {
        let content = Content(size: 900_000)
        let never = Signal()
        let origin = Origin(content, script: [.dropping(after: 500_000), .page(403)])
        origin.serve("/new", content)
        let link = Behaviour { $0.answer = .document(#"{"url":"\#(origin.url("/new"))"}"#) }
        let resolver = Origin(script: [.pace(.stallBeforeHead(until: never)), link])
        defer {
            origin.stop()
            resolver.stop()
        }
        let folder = TemporaryFolder()
        let id = try await withService(folder: folder) { service in
            let id = try await service.add(origin.url(), #","refresh_url":"\#(resolver.url())""#)
            try await service.turnClock(by: .seconds(1)) { resolver.requests.isEmpty ? nil : () }
            return id
        }

        try await withService(folder: folder) { service in
            let download = try await service.turnClock(by: .seconds(1), until: id, .completed, .failed)
            #expect(download.state == .completed && download.run == 1 && download.generation == 1)
            #expect(resolver.requests.count == 2)
            #expect(origin.requests.last?.value(of: "range")?.hasPrefix("bytes=500000-") == true)
        }
    }
}
