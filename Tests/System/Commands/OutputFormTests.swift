import Foundation
import ServiceSupport
import TestSupport
import Testing

/// `-o` is the form of the result in every command that speaks to a service.
@Suite(.timeLimit(.minutes(5)))
struct OutputFormTests {
    private let folder = TemporaryFolder()

    private func withServer(_ body: (CommandServer) async throws -> Void) async throws {
        try await withCommandServer(folder, body: body)
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
