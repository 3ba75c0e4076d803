import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// What a client gives for the origin's eyes is seen by nobody else.
@Suite(.hangLimit)
struct SecretTests {
    private static let header = "canary-in-a-header"
    private static let user = "canary-in-user-info"
    private static let query = "canary-in-a-query"
    private static let token = "canary-in-the-token"

    private static func has(_ canary: String, _ bytes: [UInt8]) -> Bool {
        bytes.firstRange(of: Array(canary.utf8)) != nil
    }

    /// A URL with user information and a signature, and a header with a token.
    private static func body(_ origin: Origin, _ path: String) -> String {
        let url = "http://u:\(user)@127.0.0.1:\(origin.port)\(path)?X-Amz-Signature=\(query)&sig=\(query)"
        let headers = #"{"Authorization":"Bearer \#(header)","X-Key":"\#(header)"}"#
        return #"{"url":"\#(url)","session":"s","request_headers":\#(headers)}"#
    }

    @Test func theyAreInNoAnswerNoEventNoLogAndNoFile() async throws {
        let origin = Origin(Content(size: 100))
        // The first goes well, the second fails, the third goes through a redirect.
        origin.serve("/bad", Content(size: 100), script: [.page(401)])
        origin.serve("/moved", Content(size: 100), script: [.redirect(to: "/a?sig=\(Self.query)")])
        let receiver = Origin(script: [.page(204)])
        defer {
            origin.stop()
            receiver.stop()
        }
        let folder = TemporaryFolder()
        var responses: [ReceivedResponse] = []
        let lines = try await withService(
            .with { $0.webhookURL = receiver.url("/hook?token=\(Self.token)") },
            folder: folder
        ) { service in
            for path in ["/a", "/bad", "/moved"] {
                let made = try await service.request("POST", "/downloads", Self.body(origin, path))
                let id = try #require(try made.json["id"]?.text)
                try await service.wait(id, .completed, .failed)
                responses.append(made)
                responses.append(try await service.request("GET", "/downloads/\(id)"))
                responses.append(
                    try await service.request("PATCH", "/downloads/\(id)", #"{"url":"http://u:\#(Self.user)@/"}"#)
                )
            }
            responses.append(try await service.request("POST", "/downloads", Self.body(origin, "/a") + "x"))
            responses.append(try await service.request("GET", "/downloads"))
            _ = await receiver.deliveries(atLeast: 6)
            return service.logs.lines
        }
        let files = ["cormorant.db", "cormorant.db-wal"].map(folder.read)

        // The origin did get them, and the clients of the redirect's target did not change that.
        #expect(origin.requests.contains { $0.value(of: "x-key") == Self.header && $0.target.contains(Self.query) })
        for canary in [Self.header, Self.user, Self.query, Self.token] {
            for response in responses { #expect(!Self.has(canary, response.body), "\(canary) in \(response.text)") }
            for event in receiver.requests { #expect(!Self.has(canary, event.body), "\(canary) in an event") }
            #expect(!lines.contains { $0.contains(canary) }, "\(canary) in the log")
        }
        #expect(!files[0].isEmpty)
        for file in files {
            #expect(!Self.has(Self.header, file))
            #expect(!Self.has(Self.user, file))
        }
    }

    /// What one service leaves behind, and the next one goes on with.
    @Test func secretsInURLsAreEncryptedUntilTheyAreNotNeededAnyMore() async throws {
        let (first, second) = ("canary-in-a-path", "canary-in-a-member")
        let content = Content(size: 3000)
        let origin = Origin(content, script: [.page(503), .good])
        // Its target is learned from the origin, and needed for nothing but to be shown.
        origin.serve("/moved", content, script: [.redirect(to: "/f?opaque=\(second)")])
        let receiver = Origin(script: [.page(204)])
        defer {
            origin.stop()
            receiver.stop()
        }
        let folder = TemporaryFolder()
        let options = TestService.Options.with {
            $0.webhookURL = receiver.url("/hooks/\(first)?x=\(second)")
            $0.jobs.allowsCallbacks = true
            $0.jobs.webhooks.allowsHTTP = true
        }
        let callback = #""callback_url":"\#(receiver.url("/callback/\(first)"))""#
        var responses: [ReceivedResponse] = []
        var ids: [String] = []
        let firstLines = try await withService(options, folder: folder) { service in
            responses.append(try await service.request("PUT", "/sessions/s", "{\(callback)}"))
            let webhook = #"{"url":"\#(receiver.url("/w/\(first)"))"}"#
            responses.append(try await service.request("POST", "/webhooks", webhook))
            let members = #"""
                ,"session":"s","start":false,"refresh_url":"http://127.0.0.1:1/r?opaque=\#(second)",\#(callback),
                "mirrors":["\#(origin.url("/mirror?opaque=\(second)"))"]
                """#
            for path in ["/f", "/moved"] {
                ids.append(try await service.add(origin.url("\(path)?opaque=\(second)"), members))
            }
            responses.append(try await service.request("GET", "/downloads"))
            return service.logs.lines
        }
        let left = ["cormorant.db", "cormorant.db-wal"].map(folder.read)
        let (downloads, lines) = try await withService(options, folder: folder) { service in
            var downloads: [Download] = []
            for id in ids {
                responses.append(try await service.request("PATCH", "/downloads/\(id)", #"{"action":"resume"}"#))
                downloads.append(try await service.wait(id, .completed, .failed))
                responses.append(try await service.request("GET", "/downloads/\(id)"))
                responses.append(try await service.request("GET", "/downloads/\(id)/attempts"))
            }
            for path in ["/webhooks", "/sessions/s", "/events"] {
                responses.append(try await service.request("GET", path))
            }
            _ = await receiver.deliveries(atLeast: 8)
            return (downloads, firstLines + service.logs.lines)
        }

        #expect(downloads.map(\.state) == [.completed, .completed])
        #expect(origin.requests.contains { $0.target == "/f?opaque=\(second)" })
        #expect(
            Set(receiver.requests.map(\.target)).isSuperset(of: ["/hooks/\(first)?x=\(second)", "/callback/\(first)"])
        )
        let files = left + ["cormorant.db", "cormorant.db-wal"].map(folder.read)
        for canary in [first, second] {
            Self.expectNone(of: canary, responses.map(\.body) + receiver.requests.map(\.body) + files)
            #expect(!lines.contains { $0.contains(canary) }, "\(canary) in the log")
        }
        for download in downloads { Self.expectNoSecret(in: download) }
    }

    private static func expectNone(of canary: String, _ texts: [[UInt8]]) {
        for text in texts {
            #expect(!has(canary, text), "\(canary) in \(String(decoding: text.prefix(2000), as: UTF8.self))")
        }
    }

    private static func expectNoSecret(in download: Download) {
        let request = download.request
        let stored = [request.url, request.refreshURL ?? .blank, request.callbackURL ?? .blank] + request.mirrors
        for url in stored + [download.source.finalURL ?? .blank] { #expect(SealedURL.isDropped(url), "\(url) is kept") }
    }
}
