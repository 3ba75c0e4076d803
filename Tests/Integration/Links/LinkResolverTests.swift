import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing
import Transfer

/// A link that expired is replaced by the service itself: it asks the download's `refresh_url`.
@Suite(.hangLimit)
struct LinkResolverTests {
    private static let content = Content(size: 900_000)
    private static let cut: Int64 = 500_000

    /// A download whose link is refused after half of the file, and whoever is asked for another one.
    ///
    /// - Parameters:
    ///   - replies: Made of the origin: what `refresh_url` answers.
    ///   - refreshURL: Made of whoever is asked; nil for its own URL.
    private static func withRefused(
        _ script: [Behaviour] = [.dropping(after: cut), .page(403)],
        replies: (Origin) -> [Behaviour] = { [.link($0.url("/new?sig=2"))] },
        refreshURL: (Origin) -> String = { $0.url("/fresh?token=t") },
        _ options: TestService.Options = TestService.Options(),
        _ body: (TestService, Origin, _ resolver: Origin, _ id: String) async throws -> Void
    ) async throws {
        let origin = Origin(content, script: script)
        origin.serve("/new", content)
        let resolver = Origin(script: replies(origin))
        defer {
            origin.stop()
            resolver.stop()
        }
        try await withService(options) { service in
            let id = try await service.add(origin.url("/file?sig=1"), #","refresh_url":"\#(refreshURL(resolver))""#)
            try await body(service, origin, resolver, id)
        }
    }

    private static func expectWhole(
        _ service: TestService,
        _ id: String,
        _ content: Content = content,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await service.advanceClock(by: .seconds(1), until: id, .completed, .failed)
        let isWhole = try await service.request("GET", "/downloads/\(id)/file").body == content.allBytes
        #expect(isWhole, sourceLocation: sourceLocation)
    }

    /// Turns the clock until a download waits for somebody, or has failed.
    private static func stopped(_ service: TestService, _ id: String) async throws -> Download {
        try await service.advanceClock(by: .seconds(30)) {
            let download = try await service.record(id)
            return download.waitingFor == .credentials || download.state == .failed ? download : nil
        }
    }

    @Test(arguments: [401, 403, 410])
    func aNewLinkGoesOnAtTheSameByte(_ status: Int) async throws {
        try await Self.withRefused([.dropping(after: Self.cut), .page(status)]) { service, origin, resolver, id in
            try await Self.expectWhole(service, id)
            let request = try #require(origin.requests.last)
            #expect(request.target == "/new?sig=2" && request.value(of: "if-range") == Self.content.etag)
            #expect(request.value(of: "range")?.hasPrefix("bytes=\(Self.cut)-") == true)
            #expect(resolver.requests.count == 1)
            let download = try await service.record(id)
            #expect(download.generation == 1 && download.run == 1)
            #expect(RedactedURL(download.request.url.text).text == origin.url("/new?REDACTED"))
        }
    }

    @Test func theQuestionSaysWhatIsNeededAndNoMore() async throws {
        try await Self.withRefused { service, origin, resolver, id in
            try await Self.expectWhole(service, id)
            let request = try #require(resolver.requests.first)
            let document = try JSONValue(parsing: request.body)
            let data = document["data"] ?? .null
            #expect(Contract.shared.violations(document, schema: "URLRefreshRequest") == [])
            #expect(request.method == "POST" && request.target == "/fresh?token=t")
            #expect(data["download_id"]?.text == id)
            #expect(data["url"]?.text == origin.url("/file?sig=REDACTED"))
            #expect(data["http_status"]?.integer == 403 && data["error_code"]?.text == "auth_required")
            #expect(data["received_bytes"]?.integer == Self.cut && data["total_bytes"]?.integer == 900_000)
            #expect(data["etag"]?.text == Self.content.etag)
        }
    }

    @Test func theQuestionIsOneOfTheDownloadsRequests() async throws {
        try await Self.withRefused { service, _, resolver, id in
            try await Self.expectWhole(service, id)
            let page = try await service.request("GET", "/downloads/\(id)/attempts").json
            let entry = try #require(page["items"]?.items.first { $0["method"]?.text == "POST" })
            #expect(entry["url"]?.text == resolver.url("/fresh?REDACTED"))
            #expect(entry["decision"]?.text == "new_link" && entry["reason"]?.text == "auth_required")
            #expect(entry["http_status"]?.integer == 200 && entry["error"] == .null)
        }
    }

    @Test func aLinkThatNeverWorkedIsReplacedToo() async throws {
        try await Self.withRefused([.page(403)]) { service, _, _, id in
            try await Self.expectWhole(service, id)
            #expect(try await service.record(id).run == 1)
        }
    }

    @Test func aPageInPlaceOfAFileThatHasNotBegunAsksForANewLink() async throws {
        try await Self.withRefused([.page(200)]) { service, origin, resolver, id in
            try await Self.expectWhole(service, id)
            #expect(resolver.requests.count == 1)
            #expect(origin.requests.map(\.target) == ["/file?sig=1", "/new?sig=2"])
        }
    }

    @Test func aPageInPlaceOfTheFileAsksForANewLink() async throws {
        try await Self.withRefused([.dropping(after: Self.cut), .page(200)]) { service, origin, resolver, id in
            try await Self.expectWhole(service, id)
            #expect(resolver.requests.count == 1)
            #expect(origin.requests.last?.value(of: "range")?.hasPrefix("bytes=\(Self.cut)-") == true)
        }
    }

    /// Where something answers for every host, as a captive portal does, it is waited for as without a resolver.
    @Test func aWebPageFromTheRefreshServerIsRetried() async throws {
        let script: [Behaviour] = [.dropping(after: Self.cut), .page(200), .page(200), .good]
        let replies = { (_: Origin) in [Behaviour.page(200)] }
        try await Self.withRefused(script, replies: replies) { service, _, resolver, id in
            try await service.advanceClock(by: .seconds(30), until: id, .completed, .failed)
            try await Self.expectWhole(service, id)
            #expect(resolver.requests.count == 2)
        }
    }

    @Test func anotherFileBehindTheNewLinkIsFetchedFromItsFirstByte() async throws {
        try await Self.withRefused { service, origin, _, id in
            origin.serve("/new", Self.content, script: [.version(1)])

            try await Self.expectWhole(service, id, Self.content.at(version: 1))
            #expect(try await service.record(id).generation == 2)
        }
    }

    @Test(arguments: [400, 403, 410])
    func withoutANewLinkTheRefusalStands(_ status: Int) async throws {
        let replies = { (_: Origin) in [Behaviour.page(status)] }
        try await Self.withRefused(replies: replies) { service, origin, resolver, id in
            let download = try await Self.stopped(service, id)

            #expect(download.waitingFor == .credentials && download.error?.error.code == .authRequired)
            #expect(download.progress.durableBytes == Self.cut)
            #expect(resolver.requests.count == 1)
            #expect(try service.vault.open(download.request.url).text == origin.url("/file?sig=1"))
        }
    }

    @Test func anUnavailableRefreshServerIsRetried() async throws {
        let down = Behaviour.unavailable(retryAfter: "5")
        let replies = { (origin: Origin) in [down, .page(500), .link(origin.url("/new"))] }
        try await Self.withRefused(replies: replies) { service, _, resolver, id in
            try await service.advanceClock(by: .seconds(5), until: id, .completed, .failed)
            try await Self.expectWhole(service, id)
            #expect(resolver.requests.count == 3)
        }
    }

    @Test func aRefreshServerThatRefusesConnectionsIsRetried() async throws {
        let gone = Origin(isOpen: false)
        defer { gone.stop() }
        let refreshURL = { (_: Origin) in gone.url() }
        try await Self.withRefused(refreshURL: refreshURL) { service, _, _, id in
            let download = try await service.advanceClock(by: .seconds(1)) {
                let download = try await service.record(id)
                return download.error?.error.code == .linkRefreshFailed ? download : nil
            }

            #expect(download.state == .waiting || download.state == .queued || download.state == .running)
            #expect(download.error?.isRetried == true && download.error?.error.curlCode == 7)
            #expect(download.progress.durableBytes == Self.cut)
        }
    }

    @Test func aSilentRefreshServerTimesOut() async throws {
        let never = Signal()
        defer { never.fire() }
        let options = TestService.Options.with { $0.engine.urlRefreshTimeout = .milliseconds(100) }
        let replies = { (origin: Origin) in
            [Behaviour.pace(.stallBeforeHead(until: never)), .link(origin.url("/new"))]
        }
        try await Self.withRefused(replies: replies, options) { service, _, _, id in
            try await Self.expectWhole(service, id)
        }
    }

    static let answersOfNoUse: [Behaviour] = [
        .page(200), .document(""), .document("{}"), .document(#"{"url":"/relative"}"#), .page(204),
        .document(#"{"url":"ftp://a.example/"}"#), .redirect(to: "/elsewhere"),
        .document(#"{"pad":"\#(String(repeating: "x", count: 65_536))","url":"http://a.example/"}"#),
        Behaviour {
            $0.response = .document(String(repeating: " ", count: 70_000))
            $0.framing = .chunked
        },
    ]

    /// Whoever names somebody to ask is not worse off than who names nobody.
    private static func expectRefusal(of download: Download, sourceLocation: SourceLocation = #_sourceLocation) {
        let error = download.error?.error
        #expect(download.waitingFor == .credentials, sourceLocation: sourceLocation)
        #expect(error?.code == .authRequired && error?.httpStatus == 403, sourceLocation: sourceLocation)
        #expect(error?.message.contains("refresh_url") == true, sourceLocation: sourceLocation)
        #expect(download.progress.durableBytes == cut, sourceLocation: sourceLocation)
    }

    /// A refusal that waits for nobody ends so.
    @Test func anAnswerOfNoUseAfterAFileThatIsGoneIsAFailure() async throws {
        let replies = { (_: Origin) in [Behaviour.document("{}")] }
        try await Self.withRefused([.dropping(after: Self.cut), .page(410)], replies: replies) {
            service,
            _,
            resolver,
            id in
            let download = try await Self.stopped(service, id)

            #expect(download.state == .failed && download.error?.error.code == .linkRefreshFailed)
            #expect(resolver.requests.count == 3)
        }
    }

    @Test(arguments: answersOfNoUse)
    func anAnswerOfNoUseIsAskedForTwiceMore(_ reply: Behaviour) async throws {
        let replies = { (_: Origin) in [reply] }
        try await Self.withRefused(replies: replies) { service, _, resolver, id in
            let download = try await Self.stopped(service, id)

            Self.expectRefusal(of: download)
            #expect(resolver.requests.count == 3)
            #expect(resolver.requests.allSatisfy { $0.path == "/fresh" })
            #expect(download.progress.durableBytes == Self.cut)
        }
    }

    private static let onlyOrigins = DestinationPolicy.publicOnly(allowances: [CIDR("127.0.0.1/32")].compactMap(\.self))

    @Test func theDestinationPolicyAppliesToTheRefreshServer() async throws {
        let options = TestService.Options.with { $0.engine.destinations = Self.onlyOrigins }
        let elsewhere = { (resolver: Origin) in "http://127.0.0.2:\(resolver.port)/" }
        try await Self.withRefused(refreshURL: elsewhere, options) { service, _, resolver, id in
            let download = try await Self.stopped(service, id)

            Self.expectRefusal(of: download)
            #expect(resolver.requests.isEmpty)
        }
    }

    @Test func aLinkLeadsWhereAClientsWouldBeAllowedTo() async throws {
        let options = TestService.Options.with { $0.jobs.destinations = Self.onlyOrigins }
        let reply = { (origin: Origin) in [Behaviour.link("http://127.0.0.2:\(origin.port)/secret-path")] }
        try await Self.withRefused(replies: reply, options) { service, origin, _, id in
            let download = try await Self.stopped(service, id)

            Self.expectRefusal(of: download)
            #expect(download.error?.error.message.contains("secret-path") == false)
            #expect(try service.vault.open(download.request.url).text == origin.url("/file?sig=1"))
            #expect(download.progress.durableBytes == Self.cut)
        }
    }

    @Test func linksThatAreDeadEndAfterThreeUntilSomethingIsChanged() async throws {
        let replies = { (origin: Origin) in [Behaviour.link(origin.url("/file?sig=3"))] }
        try await Self.withRefused(replies: replies) { service, origin, resolver, id in
            let download = try await Self.stopped(service, id)

            #expect(download.waitingFor == .credentials && download.attempts.urlRefreshes == 3)
            #expect(resolver.requests.count == 3)

            resolver.serve("/other", Content(size: 1), script: [.link(origin.url("/new"))])
            let patch = #"{"refresh_url":"\#(resolver.url("/other"))"}"#
            #expect(try await service.request("PATCH", "/downloads/\(id)", patch).status == 200)
            try await Self.expectWhole(service, id)
            #expect(try await service.record(id).generation == 1)
        }
    }

    @Test func aResumeRequestsANewURLAgain() async throws {
        let replies = { (origin: Origin) in
            Array(repeating: Behaviour.link(origin.url("/file?sig=3")), count: 3) + [.link(origin.url("/new"))]
        }
        try await Self.withRefused(replies: replies) { service, _, resolver, id in
            let download = try await Self.stopped(service, id)
            #expect(download.waitingFor == .credentials && resolver.requests.count == 3)

            #expect(try await service.act("resume", on: id).status == 200)
            try await Self.expectWhole(service, id)
            #expect(resolver.requests.count == 4)
        }
    }

    @Test func eachLinkThatBringsBytesMayBeFollowedByAnother() async throws {
        let replies = { (origin: Origin) in (1...6).map { Behaviour.link(origin.url("/part\($0)")) } }
        try await Self.withRefused(replies: replies) { service, origin, resolver, id in
            for part in 1...5 {
                origin.serve("/part\(part)", Self.content, script: [.dropping(after: 50_000), .page(403)])
            }
            origin.serve("/part6", Self.content)

            try await service.advanceClock(by: .seconds(1), until: id, .completed, .failed)
            try await Self.expectWhole(service, id)
            #expect(resolver.requests.count == 6)
        }
    }

    @Test func aPauseWhileItIsAskedHolds() async throws {
        let requested = Signal()
        defer { requested.fire() }
        let replies = { (origin: Origin) in
            [.pace(.stallBeforeHead(until: requested)), Behaviour.link(origin.url("/new"))]
        }
        try await Self.withRefused(replies: replies) { service, _, resolver, id in
            try await service.advanceClock(by: .seconds(1)) { resolver.requests.isEmpty ? nil : () }
            #expect(try await service.act("pause", on: id).status == 200)
            #expect(try await service.record(id).state == .paused)

            #expect(try await service.act("resume", on: id).status == 200)
            try await Self.expectWhole(service, id)
            #expect(try await service.record(id).generation == 1)
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1/", 403, "destination-forbidden"), ("http://a.example:25/", 403, "destination-forbidden"),
        ("ftp://a.example/f", 403, "destination-forbidden"), ("http://u:p@a.example/f", 400, "invalid-request"),
        ("/f", 400, "invalid-request"),
    ])
    func itsURLIsCheckedAsTheDownloadsIs(_ url: String, _ status: Int, _ problem: String) async throws {
        let options = TestService.Options.with {
            $0.jobs.destinations = .publicOnly(allowances: [])
            $0.runsScheduler = false
        }
        try await withService(options) { service in
            let id = try await service.add("http://a.example/")
            for (method, path, body) in [
                ("POST", "/downloads", #"{"url":"http://a.example/","refresh_url":"\#(url)"}"#),
                ("PATCH", "/downloads/\(id)", #"{"refresh_url":"\#(url)"}"#),
            ] {
                let response = try await service.request(method, path, body)

                #expect(response.status == status && response.problem == problem)
                #expect(response.pointers == ["/refresh_url"])
            }
        }
    }

    @Test func itsURLIsShownWithoutItsSecretsAndClearedByNull() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let id = try await service.add("http://a.example/", #","refresh_url":"http://B.example/f?token=1#x""#)
            let made = try await service.show(id)
            let cleared = try await service.request("PATCH", "/downloads/\(id)", #"{"refresh_url":null}"#)

            #expect(made["refresh_url"]?.text == "http://b.example/f?REDACTED")
            #expect(try cleared.json["refresh_url"] == .null)
            #expect(try await service.record(id).request.refreshURL == nil)
        }
    }

    @Test func secretsOfAURLAreShownNowhere() async throws {
        let (query, user) = ("canary-in-a-link", "canary-in-user-info")
        let replies = { (origin: Origin) in
            [Behaviour.link("http://u:\(user)@127.0.0.1:\(origin.port)/new?sig=\(query)")]
        }
        let refreshURL = { (resolver: Origin) in resolver.url("/fresh?token=\(query)") }
        try await Self.withRefused(replies: replies, refreshURL: refreshURL) { service, origin, _, id in
            try await Self.expectWhole(service, id)
            var shown = service.logs.lines
            for path in ["/downloads", "/downloads/\(id)", "/downloads/\(id)/attempts"] {
                shown.append(try await service.request("GET", path).text)
            }

            #expect(origin.requests.last?.value(of: "authorization")?.hasPrefix("Basic ") == true)
            #expect(!shown.contains { $0.contains(query) || $0.contains(user) })
        }
    }
}

extension Behaviour {
    fileprivate static func link(_ url: String) -> Behaviour { .document(#"{"url":"\#(url)"}"#) }

    fileprivate static func document(_ text: String) -> Behaviour {
        Behaviour {
            $0.response = .document(text)
            $0.contentType = "application/json"
        }
    }
}
