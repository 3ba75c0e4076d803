import ServiceSupport
import TestSupport
import Testing

@testable import Client

/// The client against the whole service.
@Suite(.hangLimit)
struct CormorantClientTests {
    private func client(_ service: TestService, token: String? = nil) throws -> CormorantClient {
        try CormorantClient(server: "http://127.0.0.1:\(service.client.port)", token: token)
    }

    @Test func aDownloadIsCreatedFollowedAndFetched() async throws {
        let content = Content(size: 300_000)
        let origin = Origin(content)
        defer { origin.stop() }
        try await withService { service in
            let client = try client(service)
            let created = try await client.createDownload(Download.Request(url: origin.url("/a.bin")))
            var end: Download?
            for try await item in client.events(EventQuery(downloadID: created.id)) {
                if case .snapshot(let downloads, _) = item, downloads.isEmpty {
                    end = try await client.download(created.id)
                } else if case .event(let event) = item, event.type == "download.completed" {
                    end = event.download
                }
                if end != nil { break }
            }
            var bytes = 0
            for try await piece in try await client.file(of: created.id) { bytes += piece.count }

            #expect(created.name == "a.bin")
            #expect(end?.state == "completed")
            #expect(bytes == 300_000)
            await client.shutdown()
        }
    }

    @Test func aListIsReadPageByPage() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let client = try client(service)
            let items = (0..<7).map { Download.Request(url: "http://a.example/\($0)") }
            let results = try await client.createDownloads(items + [Download.Request(url: "nothing")])
            var query = DownloadQuery()
            query.limit = 3
            query.sort = "created_at"
            var names: [String] = []
            for try await download in client.downloads(query) { names.append(download.name ?? "") }

            #expect(results.map(\.httpStatus) == Array(repeating: 201, count: 7) + [400])
            #expect(results.last?.problem?.errors?.first?.pointer == "/items/7/url")
            #expect(names == (0..<7).map { "\($0)" })
        }
    }

    @Test func anActionOnManyIsFinished() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let client = try client(service)
            _ = try await client.createDownloads((0..<5).map { Download.Request(url: "http://a.example/\($0)") })
            let operation = try await client.finish(BulkAction("pause", filter: DownloadFilter()))
            let stats = try await client.stats()

            #expect(operation.changed == 5)
            #expect(stats.counts["paused"] == 5)
        }
    }

    @Test func aRefusalIsAProblemWithItsDetail() async throws {
        try await withService { service in
            let client = try client(service)
            do {
                _ = try await client.download("dl_01kdyak3seeejr3cp3tkjzc1rr")
                #expect(Bool(false), "expected a problem")
            } catch ClientError.problem(let problem) {
                #expect(problem.status == 404 && problem.slug == "not-found")
            }
        }
    }

    @Test func aServiceThatIsNotThereIsUnreachable() async throws {
        let origin = Origin()
        let base = origin.base
        origin.stop()
        let client = try CormorantClient(server: base)

        await #expect {
            _ = try await client.stats()
        } throws: { error in
            if case ClientError.unreachable = error { true } else { false }
        }
    }

    /// A redirect to a sign-in, its page, another service's JSON error, an empty answer.
    static let foreign: [Behaviour] = [
        .redirect(to: "https://login.example/"), .page(200),
        Behaviour { $0.response = .document("<html>sign in</html>") },
        Behaviour {
            $0.extraFields = ["ETag: \"other\""]
            $0.validators = .absent
        },
    ]

    @Test(arguments: foreign)
    func aResponseOfAnotherServerIsAnError(behaviour: Behaviour) async throws {
        let origin = Origin(Content(size: 100), script: [behaviour])
        defer { origin.stop() }
        let client = try CormorantClient(server: origin.base)
        func fails(_ name: String, _ body: () async throws -> Void) async {
            do {
                try await body()
                Issue.record("\(name) succeeded")
            } catch ClientError.notCormorant {
                // As it should be.
            } catch {
                Issue.record(error, "\(name)")
            }
        }

        await fails("stats") { _ = try await client.stats() }
        await fails("delete") { _ = try await client.deleteDownload("dl_01kdyak3seeejr3cp3tkjzc1rr") }
        await fails("file") { for try await _ in try await client.file(of: "dl_01kdyak3seeejr3cp3tkjzc1rr") {} }
        await fails("events") { for try await _ in client.events(EventQuery()) {} }
    }

    @Test func aGatewayThatHasNoServiceYetIsAskedAgain() async throws {
        let stream = "event: end\ndata: {}\n\n"
        let gateway = Behaviour { $0.response = .page(status: 502) }
        let events = Behaviour {
            $0.response = .bytes(Array(stream.utf8))
            $0.contentType = "text/event-stream"
        }
        let origin = Origin(Content(size: 100), script: [gateway, gateway, events])
        defer { origin.stop() }
        let client = try CormorantClient(server: origin.base)

        var iterator = client.events(EventQuery()).makeAsyncIterator()
        let first = try await iterator.next()

        guard case .end? = first else {
            Issue.record("another item")
            return
        }
        #expect(origin.requests.count == 3)
    }

    @Test func anAnswerOfAnotherServerIsSaidToBeOne() async throws {
        let origin = Origin(script: [.page(404)])
        defer { origin.stop() }
        let client = try CormorantClient(server: origin.base)

        await #expect {
            _ = try await client.stats()
        } throws: { error in
            if case ClientError.notCormorant(status: 404, _) = error { true } else { false }
        }
    }
}
