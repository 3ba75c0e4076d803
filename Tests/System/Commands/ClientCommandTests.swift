import ServiceSupport
import TestSupport
import Testing

@testable import cormorant

/// The commands that speak to a service, run as a user runs them.
@Suite(.hangLimit)
struct ClientCommandTests {
    private let content = Content(size: 300_000)
    private let folder = TemporaryFolder()

    private func withServer(_ body: (CommandServer, Origin) async throws -> Void) async throws {
        let origin = Origin(content)
        defer { origin.stop() }
        try await withCommandServer(folder) { try await body($0, origin) }
    }

    @Test func aFileIsAddedWaitedForListedAndShown() async throws {
        try await withServer { server, origin in
            let added = try await server.run("add", "--wait", origin.url("/a.bin"))
            let id = String(added.output.prefix { $0 != " " })
            let list = try await server.run("ls")
            let names = try await server.run("ls", "-o", "name")
            let shown = try await server.run("show", String(id.prefix(16)))
            let json = try await server.run("show", "a.bin", "-o", "json")
            let why = try await server.run("why", id)

            #expect(added.exitCode == 0)
            #expect(id.hasPrefix("dl_") && id.count == 29)
            #expect(added.errors.contains("a.bin: completed, 293 KiB"))
            #expect(list.output.contains("a.bin") && list.output.contains("completed"))
            #expect(!list.output.contains("\u{1B}"))
            #expect(names.output == id + "\n")
            #expect(shown.output.contains(id) && shown.output.contains("sha-256"))
            #expect(json.output.contains("\"id\": \"\(id)\""))
            #expect(why.output.contains("a.bin is completed."))
            #expect(content.matches(fileAt: "\(folder.path)/downloads/a.bin"))
        }
    }

    @Test func whyShowsTheNewestRequests() async throws {
        try await withServer { server, origin in
            origin.serve("/b.bin", content, script: [.dropping(after: 100_000, by: .reset), .good])
            _ = try await server.run("add", "--wait", origin.url("/b.bin"))

            let all = try await server.run("why", "b.bin")
            let newest = try await server.run("why", "b.bin", "--limit", "1")

            let rows = { (result: CommandRun.Result) in
                result.output.split(separator: "\n").compactMap { Int($0.split(separator: " ").first ?? "") }
            }
            #expect(rows(all).first == rows(all).count && rows(all).count > 1)
            #expect(rows(newest) == [rows(all).first])
        }
    }

    @Test func aListOfURLsIsAddedAndWrongOnesAreNamedWithTheirLine() async throws {
        folder.write("# mine\nhttp://a.example/1\nnonsense\nhttp://a.example/2\n", to: "urls")
        try await withServer { server, _ in
            let result = try await server.run("add", "--paused", "-s", "s", "-i", folder.path + "/urls")
            let list = try await server.run("ls", "-s", "s", "--state", "paused", "-o", "jsonl")

            #expect(result.exitCode == 64)
            #expect(result.errors.contains("urls, line 3: nonsense: "))
            #expect(result.errors.contains("2 added, 1 refused"))
            #expect(list.output.split(separator: "\n").count == 2)
        }
    }

    @Test func aNameThatSeveralHaveIsRefusedWithTheirIDs() async throws {
        try await withServer { server, _ in
            _ = try await server.run("add", "--paused", "http://a.example/same", "http://b.example/same")
            let result = try await server.run("show", "same")
            let absent = try await server.run("show", "other")

            #expect(result.exitCode == 64)
            #expect(result.errors.contains("'same' is not unique. Expected one of these ids:"))
            #expect(result.errors.split(separator: "\n").filter { $0.contains("dl_") }.count == 2)
            #expect(absent.exitCode == 66)
            #expect(absent.errors.contains("No download has the id or the name 'other'."))
        }
    }

    @Test func manyAreActedOnByFilterAndAllOnlyWhenAsked() async throws {
        try await withServer { server, _ in
            _ = try await server.run("add", "--paused", "-s", "s", "http://a.example/1", "http://a.example/2")
            let nothing = try await server.run("rm")
            let unsure = try await server.run("rm", "--all", "--force")
            let rehearsed = try await server.run("cancel", "-s", "s", "--dry-run")
            let cancelled = try await server.run("cancel", "-s", "s", "--yes")
            let removed = try await server.run("rm", "--all", "--yes")
            let left = try await server.run("ls", "-o", "name")

            #expect(nothing.exitCode == 64)
            #expect(unsure.exitCode == 64 && unsure.errors.contains("expected --yes"))
            #expect(rehearsed.output == "2 would be cancelled\n")
            #expect(cancelled.output == "2 cancelled\n")
            #expect(removed.output == "2 deleted\n")
            #expect(left.output.isEmpty)
        }
    }

    @Test func anActionThatIsNotPossibleSaysWhy() async throws {
        try await withServer { server, origin in
            let added = try await server.run("add", "--wait", "--output", "name", origin.url("/a.bin"))
            let id = added.output.split(separator: "\n").first.map { String($0) } ?? ""
            let result = try await server.run("pause", id)

            #expect(result.exitCode == 76)
            #expect(result.errors.contains(id) && result.errors.contains("completed"))
        }
    }

    @Test func theEndOfADownloadIsTheExitCodeOfAWait() async throws {
        try await withServer { server, origin in
            origin.serve("/missing", Content(size: 1), script: [.page(410)])
            let failed = try await server.run("add", "--wait", origin.url("/missing"))
            let paused = try await server.run("add", "--paused", "--output", "name", "http://a.example/1")
            let id = paused.output.split(separator: "\n").first.map { String($0) } ?? ""
            let late = try await server.run("wait", id, "--timeout", "1s")
            let gone = try await server.run("wait", "dl_01kdyak3seeejr3cp3tkjzc1rr")

            #expect(failed.exitCode == 76)
            #expect(failed.errors.contains("missing: failed: "))
            #expect(late.exitCode == 75)
            #expect(gone.exitCode == 69)
        }
    }

    @Test func aServiceThatIsNotThereIsSaidToBeMissing() async throws {
        let origin = Origin()
        let base = origin.base
        origin.stop()
        let result = try await CommandRun.result(of: ["ls", "--server", base])

        #expect(result.exitCode == 69)
        #expect(result.errors.contains("does not answer"))
        #expect(result.errors.contains("--server"))
    }

    @Test func aServerThatIsNoURLIsAUsageError() async throws {
        #expect(try await CommandRun.result(of: ["ls", "--server", "here"]).exitCode == 64)
    }

    @Test func theTokenComesFromAFileOrTheEnvironment() async throws {
        folder.write("0123456789abcdef0123\n", to: "token")
        let data = TemporaryFolder()
        let process = try await ServiceProcess(
            dataFolder: data.path,
            arguments: ["--token-file", folder.path + "/token"]
        )
        let server = ["CORMORANT_SERVER": "http://127.0.0.1:\(process.port)"]
        let token = ["CORMORANT_TOKEN": "0123456789abcdef0123"].merging(server) { $1 }

        let byFile = try await CommandRun.result(
            of: ["ls", "--token-file", folder.path + "/token"],
            environment: server
        )
        let byVariable = try await CommandRun.result(of: ["ls"], environment: token)
        let without = try await CommandRun.result(of: ["ls"], environment: server)

        #expect(byFile.exitCode == 0)
        #expect(byVariable.exitCode == 0)
        #expect(without.exitCode == 77)
        #expect(without.errors.contains("--token-file"))
        #expect(try await process.terminate() == 0)
    }
}
