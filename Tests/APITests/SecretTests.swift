import Model
import ServiceSupport
import TestSupport
import Testing
import Wire

/// What a client gives for the origin's eyes is seen by nobody else.
@Suite(.timeLimit(.minutes(5)))
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
        var answers: [HTTPAnswer] = []
        let lines = try await withService(
            .with { $0.webhookURL = receiver.url("/hook?token=\(Self.token)") },
            folder: folder
        ) { service in
            for path in ["/a", "/bad", "/moved"] {
                let made = try await service.ask("POST", "/downloads", Self.body(origin, path))
                let id = try #require(try made.json["id"]?.text)
                try await service.wait(id, .completed, .failed)
                answers.append(made)
                answers.append(try await service.ask("GET", "/downloads/\(id)"))
                answers.append(
                    try await service.ask("PATCH", "/downloads/\(id)", #"{"url":"http://u:\#(Self.user)@/"}"#)
                )
            }
            answers.append(try await service.ask("POST", "/downloads", Self.body(origin, "/a") + "x"))
            answers.append(try await service.ask("GET", "/downloads"))
            _ = await receiver.deliveries(atLeast: 6)
            return service.logs.lines
        }
        let files = ["cormorant.db", "cormorant.db-wal"].map(folder.read)

        // The origin did get them, and the clients of the redirect's target did not change that.
        #expect(origin.requests.contains { $0.value(of: "x-key") == Self.header && $0.target.contains(Self.query) })
        for canary in [Self.header, Self.user, Self.query, Self.token] {
            for answer in answers { #expect(!Self.has(canary, answer.body), "\(canary) in \(answer.text)") }
            for event in receiver.requests { #expect(!Self.has(canary, event.body), "\(canary) in an event") }
            #expect(!lines.contains { $0.contains(canary) }, "\(canary) in the log")
        }
        #expect(!files[0].isEmpty)
        for file in files {
            #expect(!Self.has(Self.header, file))
            #expect(!Self.has(Self.user, file))
        }
    }
}
