import ServiceSupport
import TestSupport
import Testing

/// `set` and `retry` change what the API lets change, for failed downloads too.
@Suite(.timeLimit(.minutes(5)))
struct ChangeCommandTests {
    private let folder = TemporaryFolder()

    private func withServer(_ body: (CommandServer) async throws -> Void) async throws {
        try await withCommandServer(folder, body: body)
    }

    @Test func aWebPageIsAcceptedByTheCommandThatWhyNames() async throws {
        let origin = Origin(script: [.page(200)])
        defer { origin.stop() }
        try await withServer { server in
            let failed = try await server.run("add", "--wait", origin.url("/a.iso"))
            let why = try await server.run("why", "a.iso")
            let retried = try await server.run("retry", "a.iso", "--accept-html")
            let ended = try await server.run("wait", "a.iso")

            #expect(failed.exitCode == 76 && failed.errors.contains("cormorant why"))
            #expect(why.output.contains("--accept-html'"))
            #expect(retried.exitCode == 0)
            #expect(ended.exitCode == 0)
        }
    }

    @Test func headersLoginAndCookiesOfAFailedDownloadAreChanged() async throws {
        let origin = Origin(Content(size: 1000), script: [.page(410), .good])
        defer { origin.stop() }
        let home = TemporaryFolder()
        home.write("me:secret\n", to: "login")
        try await withServer { server in
            _ = try await server.run("add", "--wait", "--name", "a.bin", "-H", "X-Old: 1", origin.url("/a"))
            let set = try await server.run(
                ["set", "a.bin", "-H", "X-New: 2", "--remove-header", "X-Old", "--login", "@\(home.path)/login"]
                    + ["--cookie", "a=b"]
            )
            let retried = try await server.run("retry", "a.bin", "--url", origin.url("/b.bin"))
            let ended = try await server.run("wait", "a.bin")
            let request = origin.requests.last

            #expect(set.exitCode == 0 && retried.exitCode == 0 && ended.exitCode == 0)
            #expect(request?.path == "/b.bin")
            #expect(request?.value(of: "x-new") == "2")
            #expect(request?.value(of: "x-old") == nil)
            #expect(request?.value(of: "authorization") == "Basic bWU6c2VjcmV0")
            #expect(request?.value(of: "cookie") == "a=b")
        }
    }

    @Test func aBodyIsThatOfItsFileToTheByte() async throws {
        let origin = Origin(Content(size: 1000), script: [.page(410), .good])
        defer { origin.stop() }
        let home = TemporaryFolder()
        home.write("\n a\n\nb\n", to: "body")
        try await withServer { server in
            _ = try await server.run("add", "--wait", "--name", "a.bin", origin.url("/a"))
            let retried = try await server.run("retry", "a.bin", "--method", "POST", "--body", "@\(home.path)/body")
            let ended = try await server.run("wait", "a.bin")
            let missing = try await server.run("set", "a.bin", "--login", "@\(home.path)/none")

            #expect(retried.exitCode == 0 && ended.exitCode == 0)
            #expect(origin.requests.last.map { String(decoding: $0.body, as: UTF8.self) } == "\n a\n\nb\n")
            #expect(missing.exitCode == 64 && missing.errors.contains("\(home.path)/none: "))
            #expect(!missing.errors.contains("--header: "))
        }
    }

    @Test func everyMemberThatAPatchTakesHasAnOption() async throws {
        try await withServer { server in
            _ = try await server.run("add", "--paused", "--name", "x", "http://a.example/x")
            let options = [
                ["--priority", "3"], ["--rate", "1MiB"], ["--connections", "2"], ["--max-bytes", "1GiB"],
                ["--dir", "isos"], ["-s", "nightly"], ["--label", "a:b"], ["--remove-label", "a"],
                ["--description", "d"], ["--url", "http://b.example/x"], ["--mirror", "http://c.example/x"],
                ["--mirror", "none"], ["--refresh-url", "http://a.example/fresh"], ["--refresh-url", "none"],
                ["-H", "A: b"], ["--remove-header", "A"], ["-H", "none"], ["--login", "a:b"],
                ["--login", "a:b", "--login-scheme", "digest"], ["--login", "none"], ["--bearer", "t"],
                ["--bearer", "none"], ["--cookie", "a=b"], ["--remove-cookie", "a"], ["--cookie", "none"],
                ["--method", "POST", "--body", "text"], ["--method", "GET", "--body", "none"],
                ["--proxy", "http://127.0.0.1:1"], ["--proxy", "none"],
                ["--digest", "md5=d41d8cd98f00b204e9800998ecf8427e"], ["--digest", "none"], ["--size", "5"],
                ["--size", "none"], ["--content-type", "application/x-iso"], ["--content-type", "none"],
                ["--webhook", "none"], ["--deadline", "2d"], ["--root", "none"], ["--max-attempts", "3"],
                ["--max-attempts", "none"], ["--connect-timeout", "5s"], ["--connect-timeout", "none"],
                ["--silence-timeout", "5s"], ["--give-up-after", "1h"], ["--retry-delay", "2s"],
                ["--max-retry-delay", "1m"], ["--retry-status", "404,500"], ["--retry-status", "none"],
                ["--at", "1h"], ["--at", "none"], ["--expires", "2d"], ["--expires", "none"], ["--keep-file", "1h"],
                ["--keep-file", "forever"], ["--keep-file", "none"], ["--metadata", #"{"a":1}"#],
                ["--metadata", "none"], ["--accept-html"], ["--no-accept-html"],
            ]
            for option in options {
                let result = try await server.run(["set", "x"] + option)
                #expect(result.exitCode == 0, "\(option): \(result.errors)")
            }
            let wrong = try await server.run("set", "x", "--login", "nobody")
            let filtered = try await server.run("retry", "--all", "--yes", "--accept-html")

            #expect(wrong.exitCode == 64 && wrong.errors.contains("--login"))
            #expect(filtered.exitCode == 64 && filtered.errors.contains("ids or names"))
        }
    }
}
