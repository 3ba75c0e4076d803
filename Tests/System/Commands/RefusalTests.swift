import Foundation
import ServiceSupport
import TestSupport
import Testing

/// What a command says when the service, or a gateway before it, refuses.
@Suite(.hangLimit)
struct RefusalTests {
    private let folder = TemporaryFolder()
    private static let id = "01kdyak3seeejr3cp3tkjzc1rr"

    @Test func aResourceThatDoesNotExistIsNamed() async throws {
        let process = try await ServiceProcess(dataFolder: folder.path, arguments: [])
        let server = CommandServer(port: process.port)
        let (download, webhook, delivery) = ("dl_\(Self.id)", "whk_\(Self.id)", "dlv_\(Self.id)")
        let commands: [([String], String)] = [
            (["show", download], "no download '\(download)'"), (["why", download], "no download '\(download)'"),
            (["cat", download], "no download '\(download)'"), (["pause", download], "no download '\(download)'"),
            (["set", download, "--priority", "1"], "no download '\(download)'"),
            (["sessions", "other"], "no session 'other'"), (["wait", "--session", "other"], "no session 'other'"),
            (["limit", "--session", "other"], "no session 'other'"), (["hosts", "a:1"], "no host 'a:1'"),
            (["webhook", "ls", webhook], "no webhook '\(webhook)'"),
            (["webhook", "test", webhook], "no webhook '\(webhook)'"),
            (["webhook", "rm", webhook], "no webhook '\(webhook)'"),
            (["webhook", "deliveries", webhook], "no webhook '\(webhook)'"),
            (["webhook", "deliveries", webhook, delivery], "no delivery '\(delivery)' of the webhook '\(webhook)'"),
        ]
        for (command, text) in commands {
            let result = try await server.run(command)
            #expect(result.exitCode == 66, "\(command)")
            #expect(result.errors.contains(text), "\(command): \(result.errors)")
        }
        #expect(try await process.terminate() == 0)
    }

    @Test func aWrongTokenIsToldFromNone() async throws {
        folder.write("0123456789abcdef0123\n", to: "token")
        folder.write("wrong-456789abcdef0123\n", to: "other")
        let data = TemporaryFolder()
        let process = try await ServiceProcess(
            dataFolder: data.path,
            arguments: ["--token-file", folder.path + "/token"]
        )
        let server = CommandServer(port: process.port)
        let none = try await server.run("ls")
        let wrong = try await server.run("ls", "--token-file", folder.path + "/other")
        let variable = try await CommandRun.result(
            of: ["ls"],
            environment: ["CORMORANT_SERVER": "http://127.0.0.1:\(process.port)", "CORMORANT_TOKEN": "x"]
        )

        #expect(none.exitCode == 77 && wrong.exitCode == 77 && variable.exitCode == 77)
        #expect(none.errors.contains("needs a token") && none.errors.contains("CORMORANT_TOKEN_FILE"))
        #expect(wrong.errors.contains("does not accept this token"))
        #expect(wrong.errors.contains(folder.path + "/other"))
        #expect(variable.errors.contains("does not accept this token"))
        #expect(variable.errors.contains("CORMORANT_TOKEN"))
        #expect(!wrong.errors.contains("Bearer"))
        #expect(try await process.terminate() == 0)
    }

    /// `wait` by name, by the start of an id and by session, while a gateway has no service yet.
    @Test(arguments: [["wait", "a.bin"], ["wait", "01kdyak3"], ["wait", "--session", "s"], ["watch", "a.bin"]])
    func aLookUpIsRepeatedWhileAGatewayHasNoService(_ command: [String]) async throws {
        let gateway = Behaviour { $0.response = .page(status: 502) }
        func json(_ text: String) -> Behaviour {
            Behaviour {
                $0.response = .bytes(Array(text.utf8))
                $0.contentType = "application/json"
            }
        }
        let item =
            #"{"id":"dl_\#(Self.id)","state":"completed","name":"a.bin","created_at":"2026-01-02T03:04:05.678Z"}"#
        let origin = Origin()
        defer { origin.stop() }
        let content = Content(size: 10)
        origin.serve("/downloads", content, script: [gateway, gateway, json(#"{"items":[\#(item)]}"#)])
        origin.serve("/sessions/s", content, script: [gateway, json(#"{"name":"s"}"#)])
        origin.serve(
            "/events",
            content,
            script: [
                gateway,
                Behaviour {
                    $0.response = .bytes(Array("event: snapshot\ndata: {\"items\":[],\"more\":false}\n\n".utf8))
                    $0.contentType = "text/event-stream"
                },
            ]
        )
        let result = try await CommandRun.result(of: command, environment: ["CORMORANT_SERVER": origin.base])

        #expect(result.exitCode == 0, "\(result.errors)")
    }

    @Test func otherCommandsReportAGatewayAtOnce() async throws {
        let origin = Origin(script: [.page(502)])
        defer { origin.stop() }
        let result = try await CommandRun.result(of: ["show", "a.bin"], environment: ["CORMORANT_SERVER": origin.base])

        #expect(result.exitCode == 76)
        #expect(origin.requests.count == 1)
    }

    @Test func deliveriesNameTheirDownload() async throws {
        let receiver = Origin(script: [.page(204)])
        defer { receiver.stop() }
        let process = try await ServiceProcess(
            dataFolder: folder.path,
            arguments: ["--min-free-bytes", "0", "--allow-insecure-webhooks", "true"]
        )
        let server = CommandServer(port: process.port)
        let added = try await server.run("webhook", "add", receiver.url("/hook"), "-o", "name")
        let id = String(added.output.dropLast())
        _ = try await server.run("add", "--paused", "-s", "s", "--name", "a.iso", "http://a.example/1")
        _ = try await server.run("cancel", "a.iso")
        await receiver.requests(atLeast: 1)
        let list = try await server.run("webhook", "deliveries", id)
        let row = list.output.split(separator: "\n").first { $0.contains("a.iso") }
        let first = row?.split(separator: " ").first ?? ""
        let shown = try await server.run("webhook", "deliveries", id, String(first))

        #expect(list.output.contains("a.iso"))
        #expect(shown.output.contains("download") && shown.output.contains("a.iso  dl_"))
        #expect(try await process.terminate() == 0)
    }

    @Test func noWordOfTheHelpIsBrokenAndNoLineIsWider() async throws {
        let all = [
            [], ["serve"], ["get"], ["backup"], ["check"], ["healthcheck"], ["config"], ["completion"], ["add"],
            ["import"], ["ls"], ["show"], ["why"], ["watch"], ["top"], ["wait"], ["pause"], ["resume"], ["cancel"],
            ["retry"], ["rm"], ["prune"], ["set"], ["cat"], ["save"], ["limit"], ["sessions"], ["hosts"], ["stats"],
            ["events"], ["webhook"], ["webhook", "ls"], ["webhook", "add"], ["webhook", "listen"],
            ["webhook", "deliveries"],
        ]
        for command in all {
            let result = try await CommandRun.result(of: command + ["--help"], environment: ["COLUMNS": "80"])
            let wide = result.output.split(separator: "\n").filter { $0.count > 80 }
            #expect(wide.isEmpty, "\(command): \(wide)")
        }
        let get = try await CommandRun.result(of: ["get", "--help"]).output
        // The second line of an exit code stands below the first one.
        let codes = get.split(separator: "\n").drop { !$0.hasPrefix("EXIT CODES") }.dropFirst().prefix { $0 != "" }
        #expect(codes.prefix(8).allSatisfy { $0.hasPrefix("  ") }, "\(codes.prefix(8))")
    }
}
