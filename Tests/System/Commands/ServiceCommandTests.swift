import Glibc
import ServiceSupport
import TestSupport
import Testing

@testable import cormorant

/// The commands for the service itself, for files and for webhooks, run as a user runs them.
@Suite(.hangLimit)
struct ServiceCommandTests {
    private let folder = TemporaryFolder()

    private func withServer(_ body: (CommandServer) async throws -> Void) async throws {
        try await withCommandServer(folder, "--allow-insecure-webhooks", "true", body: body)
    }

    @Test func limitsAreShownSetAndTakenBack() async throws {
        try await withServer { server in
            let set = try await server.run("limit", "2MiB")
            let paused = try await server.run("limit", "--pause")
            let none = try await server.run("limit", "none", "--resume")
            let host = try await server.run("limit", "1MiB", "--host", "a.example:80")
            let wrong = try await server.run("limit", "fast")
            let small = try await server.run("limit", "10")
            let both = try await server.run("limit", "1MiB", "--host", "a", "--session", "b")

            #expect(set.output.contains("2.0 MiB/s"))
            #expect(paused.output.contains("paused"))
            #expect(none.output.contains("may run") && none.output.contains("none"))
            #expect(host.output.contains("a.example:80") && host.output.contains("1.0 MiB/s"))
            #expect(wrong.exitCode == 64)
            #expect(small.exitCode == 64 && small.errors.contains("1024"))
            #expect(both.exitCode == 64)
        }
    }

    @Test func sessionsHostsStatsAndEventsAreShown() async throws {
        try await withServer { server in
            _ = try await server.run("add", "--paused", "-s", "nightly", "http://a.example/1", "http://a.example/2")
            let sessions = try await server.run("sessions")
            let session = try await server.run("sessions", "nightly")
            let none = try await server.run("sessions", "other")
            let stats = try await server.run("stats")
            let events = try await server.run("events")
            let last = try await server.run("events", "--limit", "1", "-o", "jsonl")
            let top = try await server.run("top")

            #expect(sessions.output.contains("nightly") && sessions.output.contains("OPEN"))
            #expect(session.output.contains("2 paused"))
            #expect(none.exitCode == 66)
            #expect(stats.output.contains("2 paused"))
            #expect(events.output.split(separator: "\n").filter { $0.contains("download.created") }.count == 2)
            #expect(last.output.split(separator: "\n").count == 1 && last.output.hasPrefix("{\"seq\":"))
            #expect(top.output.contains("2 paused") && !top.output.contains("\u{1B}"))
        }
    }

    @Test func aDownloadIsChangedAndAWrongValueIsExplained() async throws {
        try await withServer { server in
            _ = try await server.run("add", "--paused", "--name", "a.iso", "http://a.example/1")
            let changed = try await server.run(
                "set",
                "a.iso",
                "--priority",
                "7",
                "--label",
                "team:infra",
                "--rate",
                "1MiB"
            )
            let shown = try await server.run("show", "a.iso")
            let cleared = try await server.run("set", "a.iso", "--rate", "none", "--remove-label", "team")
            let after = try await server.run("show", "a.iso")
            let wrong = try await server.run("set", "a.iso", "--priority", "1000")
            let nothing = try await server.run("set", "a.iso")

            #expect(changed.exitCode == 0)
            #expect(shown.output.contains("7") && shown.output.contains("team:infra"))
            #expect(cleared.exitCode == 0)
            #expect(!after.output.contains("team:infra") && !after.output.contains("rate limit"))
            #expect(wrong.exitCode == 64 && wrong.errors.contains("100"))
            #expect(nothing.exitCode == 64 && nothing.errors.contains("Expected something to change"))
        }
    }

    @Test func aFinishedFileIsPrintedAndSaved() async throws {
        let content = Content(size: 100_000)
        let origin = Origin(content)
        defer { origin.stop() }
        let home = TemporaryFolder()
        try await withServer { server in
            _ = try await server.run("add", "--wait", origin.url("/a.bin"))
            let printed = try await server.run("cat", "a.bin", "--server", "http://127.0.0.1:\(server.port)")
            let saved = try await server.run("save", "a.bin", "-d", home.path)
            let again = try await server.run("save", "a.bin", "-d", home.path)
            let forced = try await server.run("save", "a.bin", "-d", home.path, "--force")
            let none = try await server.run("save", "other", "-d", home.path)

            #expect(printed.exitCode == 0)
            #expect(saved.exitCode == 0)
            #expect(content.matches(fileAt: home.path + "/a.bin"))
            #expect(again.exitCode == 73 && again.errors.contains("--force"))
            #expect(forced.exitCode == 0)
            #expect(none.exitCode == 66)
        }
    }

    @Test func aFileOfAria2IsImported() async throws {
        let home = TemporaryFolder()
        home.write("http://a.example/1\n  out=one.bin\n  pause=true\n  seed-ratio=1\n", to: "input")
        try await withServer { server in
            let refused = try await server.run("import", home.path + "/input")
            let skipped = try await server.run("import", home.path + "/input", "--ignore-unknown")
            let list = try await server.run("ls")
            let missing = try await server.run("import", home.path + "/none")

            #expect(refused.exitCode == 65)
            #expect(refused.errors.contains("line 4: the option seed-ratio has no counterpart"))
            #expect(skipped.exitCode == 0)
            #expect(list.output.contains("one.bin") && list.output.contains("paused"))
            #expect(missing.exitCode == 66)
        }
    }

    @Test func anEventIsReceivedVerifiedAndPassedOn() async throws {
        let receiver = Origin(script: [.page(204)])
        defer { receiver.stop() }
        try await withServer { server in
            let listener = try await CommandRun(
                ["webhook", "listen", "--forward-to", receiver.url("/hook"), "--types", "download.cancelled"],
                environment: ["CORMORANT_SERVER": "http://127.0.0.1:\(server.port)"]
            )
            _ = try #require(await listener.firstErrorLine(containing: "Ctrl-C ends it"))
            _ = try await server.run("add", "--paused", "http://a.example/1")
            _ = try await server.run("cancel", "1")
            let request = try #require(await receiver.requests(atLeast: 1).first)
            listener.send(SIGINT)
            let result = try await listener.result()
            let left = try await server.run("webhook", "ls", "-o", "name")

            #expect(request.value(of: "webhook-signature")?.hasPrefix("v1,") == true)
            #expect(result.exitCode == 130)
            #expect(result.output.contains("download.cancelled"))
            #expect(left.output.isEmpty)
        }
    }

    @Test func aWebhookIsMadeTestedAndDeleted() async throws {
        let receiver = Origin(script: [.page(204), .page(500)])
        defer { receiver.stop() }
        try await withServer { server in
            let added = try await server.run("webhook", "add", receiver.url("/hook"), "-o", "name")
            let id = added.output.split(separator: "\n").first.map { String($0) } ?? ""
            let tested = try await server.run("webhook", "test", id)
            let refused = try await server.run("webhook", "test", id)
            let deliveries = try await server.run("webhook", "deliveries", id)
            let rotated = try await server.run("webhook", "rotate", id)
            let removed = try await server.run("webhook", "rm", id)
            let gone = try await server.run("webhook", "test", id)

            #expect(id.hasPrefix("whk_"))
            #expect(tested.exitCode == 0 && tested.output.contains("HTTP 204"))
            #expect(refused.exitCode == 69 && refused.output.contains("HTTP 500"))
            #expect(deliveries.output.contains("webhook.ping"))
            #expect(rotated.output.hasPrefix("whsec_"))
            #expect(removed.exitCode == 0)
            #expect(gone.exitCode == 66)
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionIsPrintedForEachShell(_ shell: String) async throws {
        let result = try await CommandRun.result(of: ["completion", shell])

        #expect(result.exitCode == 0)
        #expect(result.output.contains("webhook") && result.output.contains("import"))
    }

    @Test func getReadsAFileOfURLs() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let home = TemporaryFolder()
        home.write("# two\n\(origin.url("/a"))\n\n\(origin.url("/b"))\n", to: "urls")
        let target = TemporaryFolder()
        let result = try await CommandRun.result(of: ["get", "-d", target.path, "-i", home.path + "/urls"])
        let named = try await CommandRun.result(of: ["get", "-o", "x", "-i", home.path + "/urls"])
        let nothing = try await CommandRun.result(of: ["get"])

        #expect(result.exitCode == 0)
        #expect(result.output.split(separator: "\n").count == 2)
        #expect(named.exitCode == 64)
        #expect(nothing.exitCode == 64)
    }
}
