import Foundation
import ServiceSupport
import TestSupport
import Testing

/// `-o` is the form of the result in every command that speaks to a service.
@Suite(.hangLimit)
struct OutputFormTests {
    private let folder = TemporaryFolder()

    private func withServer(_ body: (CommandServer) async throws -> Void) async throws {
        try await withCommandServer(folder, "--allow-insecure-webhooks", "true", body: body)
    }

    private func array(_ result: CommandRun.Result) -> [[String: Any]]? {
        (try? JSONSerialization.jsonObject(with: Data(result.output.utf8))) as? [[String: Any]]
    }

    private func object(_ result: CommandRun.Result) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(result.output.utf8))) as? [String: Any]
    }

    @Test func addNamesTheFileWithNameAndItsResultWithOutput() async throws {
        try await withServer { server in
            let one = try await server.run("add", "--paused", "-o", "json", "--name", "a.iso", "http://a.example/1")
            let two = try await server.run("add", "--paused", "-o", "json", "http://a.example/2", "http://a.example/3")
            let lines = try await server.run(
                "add",
                "--paused",
                "-o",
                "jsonl",
                "http://a.example/4",
                "http://a.example/5"
            )
            let wrong = try await server.run("add", "--paused", "-o", "b.iso", "http://a.example/6")
            let names = try await server.run("ls", "-q", "a.iso", "-o", "name")

            #expect(object(one)?["existed"] as? Bool == false)
            #expect(array(two)?.count == 2)
            #expect(lines.output.split(separator: "\n").count == 2)
            #expect(wrong.exitCode == 64 && wrong.errors.contains("--name"))
            #expect(names.output == "\(object(one)?["id"] ?? "")\n")
        }
    }

    @Test func severalItemsAreOneArray() async throws {
        folder.write("http://a.example/3\n", to: "urls")
        try await withServer { server in
            _ = try await server.run("add", "--paused", "-s", "s", "--name", "1", "http://a.example/1")
            _ = try await server.run("add", "--paused", "-s", "t", "--name", "2", "http://a.example/2")
            let shown = try await server.run("show", "1", "2", "-o", "json")
            let one = try await server.run("show", "1", "-o", "json")
            let sessions = try await server.run("sessions", "s", "t", "-o", "json")
            let events = try await server.run("events", "-o", "json")
            let rehearsed = try await server.run("import", "--dry-run", "-o", "json", folder.path + "/urls")
            let imported = try await server.run("import", "--paused", "-o", "json", folder.path + "/urls")
            let changed = try await server.run("set", "1", "2", "--priority", "3", "-o", "json")

            #expect(array(shown)?.count == 2)
            #expect(object(one)?["name"] as? String == "1")
            #expect(array(sessions)?.compactMap { $0["name"] as? String } == ["s", "t"])
            #expect(array(events)?.isEmpty == false)
            #expect(array(rehearsed)?.count == 1)
            #expect(array(imported)?.count == 1)
            #expect(array(changed)?.compactMap { $0["priority"] as? Int } == [3, 3])
        }
    }

    @Test func actionsPrintTheDownloadsThatTheyChanged() async throws {
        try await withServer { server in
            for number in 1...3 {
                _ = try await server.run("add", "--paused", "--name", "\(number)", "http://127.0.0.1:9/\(number)")
            }
            let one = try await server.run("cancel", "1", "-o", "json")
            let two = try await server.run("cancel", "2", "3", "-o", "jsonl")
            let retried = try await server.run("retry", "1", "2", "-o", "json")
            let paused = try await server.run("pause", "1", "2", "-o", "json")
            let removed = try await server.run("rm", "-f", "1", "2", "-o", "json")
            let name = try await server.run("rm", "3", "-o", "name")

            #expect(object(one)?["state"] as? String == "cancelled")
            #expect(two.output.split(separator: "\n").count == 2)
            #expect(array(retried)?.compactMap { $0["name"] as? String } == ["1", "2"])
            #expect(array(paused)?.compactMap { $0["state"] as? String } == ["paused", "paused"])
            #expect(array(removed)?.compactMap { $0["state"] as? String } == ["paused", "paused"], "as they were")
            #expect(name.output.hasPrefix("dl_") && name.output.split(separator: "\n").count == 1)
        }
    }

    @Test func anActionOnManyPrintsItsOperation() async throws {
        try await withServer { server in
            _ = try await server.run("add", "--paused", "http://127.0.0.1:9/1", "http://127.0.0.1:9/2")
            let rehearsed = try await server.run("cancel", "--all", "--dry-run", "-o", "json")
            let cancelled = try await server.run("cancel", "--all", "-y", "-o", "json")
            let removed = try await server.run("rm", "--all", "-y", "-o", "jsonl")
            let name = try await server.run("prune", "--older-than", "1d", "-y", "-o", "name")

            #expect(object(rehearsed)?["dry_run"] as? Bool == true)
            #expect(object(cancelled)?["changed"] as? Int == 2)
            #expect(
                object(removed)?["action"] as? String == "delete" && object(removed)?["state"] as? String == "finished"
            )
            #expect(name.output.hasPrefix("op_"))
        }
    }

    @Test func actionsOnWebhooksPrintThem() async throws {
        let receiver = Origin(script: [.page(204)])
        defer { receiver.stop() }
        try await withServer { server in
            let added = try await server.run("webhook", "add", receiver.url("/hook"), "-o", "name")
            let id = added.output.split(separator: "\n").first.map { String($0) } ?? ""
            let disabled = try await server.run("webhook", "disable", id, "-o", "json")
            let enabled = try await server.run("webhook", "enable", id, "-o", "json")
            let tested = try await server.run("webhook", "test", id, "-o", "json")
            let rotated = try await server.run("webhook", "rotate", id, "-o", "json")
            let removed = try await server.run("webhook", "rm", id, "-o", "json")

            #expect(object(disabled)?["enabled"] as? Bool == false)
            #expect(object(enabled)?["enabled"] as? Bool == true)
            #expect(object(tested)?["state"] as? String == "succeeded")
            #expect((object(rotated)?["secret"] as? String)?.hasPrefix("whsec_") == true)
            #expect(object(removed)?["id"] as? String == id)
        }
    }

    @Test func setAndSaveNameTheFileWithName() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let home = TemporaryFolder()
        try await withServer { server in
            _ = try await server.run("add", "--wait", origin.url("/a.bin"))
            let changed = try await server.run("set", "a.bin", "--name", "b.bin", "-o", "name")
            let saved = try await server.run("save", "b.bin", "-d", home.path, "--name", "c.bin", "-o", "json")

            #expect(changed.output.hasPrefix("dl_") && changed.output.split(separator: "\n").count == 1)
            #expect(object(saved)?["name"] as? String == "c.bin")
            #expect(Content(size: 1000).matches(fileAt: home.path + "/c.bin"))
        }
    }
}
