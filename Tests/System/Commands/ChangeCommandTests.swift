import API
import ServiceSupport
import TestSupport
import Testing

/// `set` and `retry` change what the API lets change, for failed downloads too.
@Suite(.hangLimit)
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

    /// What is no option of `set`, and why.
    private static let others = [
        "action": "each action is a command", "keep_partial": "an option of cancel", "force": "an option of retry",
        "expected_revision": "a command has not read the download before",
    ]

    /// The options of the members whose name, or whose value, does not follow from the description.
    private static let options: [String: [[String]]] = [
        "url": [["--url", "http://b.example/x"]],
        "mirrors": [["--mirror", "http://c.example/x"], ["--mirror", "none"]],
        "request_headers": [["-H", "A: b"], ["--remove-header", "A"], ["-H", "none"]],
        "authentication": [
            ["--login", "a:b"], ["--login", "a:b", "--login-scheme", "digest"], ["--login", "none"], ["--bearer", "t"],
            ["--bearer", "none"],
        ],
        "cookies": [["--cookie", "a=b"], ["--remove-cookie", "a"], ["--cookie", "none"]],
        "method": [["--method", "POST", "--body", "text"], ["--method", "GET", "--body", "none"]],
        "body": [["--body", "text", "--method", "POST"], ["--body", "none", "--method", "GET"]],
        "proxy": [["--proxy", "http://127.0.0.1:1"], ["--proxy", "none"]],
        "session": [["-s", "nightly"], ["--session", "none"]],
        "directory": [["--dir", "isos"], ["-d", "none"], ["--directory", "a"]],
        "filename": [["--name", "y"], ["--name", "none"]],
        "expected/size_bytes": [["--size", "5"], ["--size", "none"]],
        "expected/digests": [["--digest", "md5=d41d8cd98f00b204e9800998ecf8427e"], ["--digest", "none"]],
        "webhook_ids": [["--webhook", "none"]],
        "deadline_at": [["--deadline", "2d"]],
        "limits/max_bytes": [["--max-bytes", "1GiB"], ["--max-bytes", "none"]],
        "limits/rate_bytes_per_second": [["--rate", "1MiB"], ["--rate", "none"]],
        // The service has no root but downloads_dir.
        "root": [["--root", "none"]],
        "timeouts/connect_seconds": [["--connect-timeout", "5s"], ["--connect-timeout", "none"]],
        "timeouts/silence_seconds": [["--silence-timeout", "5s"], ["--silence-timeout", "none"]],
        "timeouts/give_up_seconds": [["--give-up-after", "1h"], ["--give-up-after", "none"]],
        "retry/delay_seconds": [["--retry-delay", "2s"], ["--retry-delay", "none"]],
        "retry/max_delay_seconds": [["--max-retry-delay", "1m"], ["--max-retry-delay", "none"]],
        "retry/statuses": [["--retry-status", "404,500"], ["--retry-status", "none"]],
        "not_before_at": [["--at", "1h"], ["--at", "none"]],
        "expires_at": [["--expires", "2d"], ["--expires", "none"]],
        "keep_file_seconds": [["--keep-file", "1h"], ["--keep-file", "forever"], ["--keep-file", "none"]],
        "labels": [["--label", "a:b"], ["--remove-label", "a"]],
        "metadata": [["--metadata", #"{"a":1}"#], ["--metadata", "none"]],
    ]

    /// Of any other member: its name in kebab case, an example, and `none` for null.
    private static func options(of member: DescribedMember) -> [[String]] {
        if let known = options[member.path] { return known }
        let name = (member.path.split(separator: "/").last ?? "").replacing("_", with: "-")
        return member.values.flatMap { value -> [[String]] in
            switch value {
            case .bool: [["--\(name)"], ["--no-\(name)"]]
            case .number(let text), .string(let text): [["--\(name)", text]]
            case .null: [["--\(name)", "none"]]
            case .array, .object: []
            }
        }
    }

    @Test func everyMemberThatAPatchTakesHasAnOption() async throws {
        let members = Contract.shared.members(of: "DownloadChange")
        #expect(Set(Self.options.keys).union(Self.others.keys).isSubset(of: Set(members.map(\.path))))
        let origin = Origin(
            script: [
                Behaviour {
                    $0.response = .bytes(Array(#"{"id":"x","state":"paused","url":"u"}"#.utf8))
                    $0.contentType = "application/json"
                }
            ]
        )
        defer { origin.stop() }
        try await withServer { server in
            let added = try await server.run("add", "--paused", "--output", "name", "http://a.example/x")
            let id = added.output.split(separator: "\n").first.map { String($0) } ?? ""
            for member in members where Self.others[member.path] == nil {
                let options = Self.options(of: member)
                #expect(!options.isEmpty, "no option of \(member.path)")
                for option in options {
                    let result = try await server.run(["set", id] + option)
                    #expect(result.exitCode == 0, "\(member.path), \(option): \(result.errors)")
                    _ = try await CommandServer(port: origin.port).run(["set", id] + option)
                    let sent = try JSONValue(parsing: origin.requests.last?.body ?? [])
                    #expect(member.value(in: sent) != nil, "\(option) does not change \(member.path)")
                }
            }
            let wrong = try await server.run("set", id, "--login", "nobody")
            let filtered = try await server.run("retry", "--all", "--yes", "--accept-html")

            #expect(wrong.exitCode == 64 && wrong.errors.contains("--login"))
            #expect(filtered.exitCode == 64 && filtered.errors.contains("ids or names"))
        }
    }
}
