import TestSupport
import Testing

/// Text of others on the terminal: names that origins chose, and answers of a hostile server.
@Suite(.hangLimit)
struct TerminalTextTests {
    /// ESC, CSI in one character (U+009B), NEL, and characters that change the direction of text.
    private static let hostile = "a\\u001b[2Jb\u{9B}31mc\u{85}d\u{202E}e\u{2066}f\u{200F}g\u{061C}h\u{2028}i\\u007fj"

    /// One object that is a page and an item of each list.
    private static let answer: String = {
        let texts = [
            "id", "state", "name", "url", "phase", "waiting_for", "waiting_reason", "session", "directory", "type",
            "authority", "reason", "description", "secret", "event_id", "event_type", "disabled_reason", "created_by",
            "session_filter", "secret_fingerprint", "decision", "error_text", "action",
        ].map { "\"\($0)\":\"\(hostile)\"" }
        let item =
            (texts + [
                #""seq":1,"number":1,"matched":1,"changed":1,"unchanged":1,"failed":1"#,
                #""first_byte":0,"received_bytes":1,"counters":{"attempt":1}"#,
                #""timestamp":"2026-01-02T03:04:05.678Z","created_at":"2026-01-02T03:04:05.678Z""#,
                #""counts":{"running":1},"types":["\#(hostile)"],"labels":{"\#(hostile)":"\#(hostile)"}"#,
                #""data":{"session":"\#(hostile)","id":"\#(hostile)"},"replaced":["\#(hostile)"]"#,
                #""allowed_actions":["\#(hostile)"],"failures":[{"id":"\#(hostile)","code":"\#(hostile)"}]"#,
                #""error":{"code":"\#(hostile)","message":"\#(hostile)"},"source":{"etag":"\#(hostile)"}"#,
                #""attempts":[{"number":1,"error":"\#(hostile)","response_excerpt":"\#(hostile)"}]"#,
                #""now":{"source":"\#(hostile)"},"events":[{"cause":"\#(hostile)"}]"#,
            ]).joined(separator: ",")
        let list = item.replacing(#""error":{"code":"\#(hostile)","message":"\#(hostile)"},"#, with: "")
        let result = #"{"index":0,"http_status":201,"download":{"id":"\#(hostile)","state":"\#(hostile)"}}"#
        return "{\(item),\"newest_seq\":1,\"next_after_seq\":1,\"items\":[{\(list),\(result.dropFirst().dropLast())}]}"
    }()

    private static let id = "dl_01kdyak3seeejr3cp3tkjzc1rr"

    static let commands: [[String]] = [
        ["ls"], ["ls", "-o", "wide"], ["show", id], ["why", id], ["sessions"], ["sessions", "x"], ["hosts"],
        ["hosts", "x"], ["stats"], ["events"], ["limit"], ["limit", "--session", "x"], ["top"], ["webhook", "ls"],
        ["webhook", "ls", "x"], ["webhook", "deliveries", "x"], ["webhook", "deliveries", "x", "y"],
        ["webhook", "add", "http://a.example/"], ["webhook", "enable", "x"], ["webhook", "rotate", "x"],
        ["webhook", "test", "x"], ["add", "http://a.example/"], ["set", id, "--priority", "1"], ["pause", id],
        ["pause", "--all"], ["pause", "--all", "--dry-run"], ["save", id], ["cat", id],
        ["pause", "a\u{1B}[2Jb\u{9B}31mc\u{85}d\u{202E}e\u{2066}f\u{200F}g\u{061C}h\u{2028}i\u{7F}j"],
    ]

    private static let forms = ["table", "wide", "json", "jsonl", "name"]

    private func expectPlain(_ text: String, _ what: [String]) {
        let wrong = text.unicodeScalars.filter { scalar in
            scalar.value < 0x20 && scalar != "\n" || (0x7F...0x9F).contains(scalar.value)
                || [0x061C, 0x200E, 0x200F, 0x2028, 0x2029].contains(scalar.value)
                || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
        #expect(wrong.isEmpty, "\(what): \(wrong.map { String($0.value, radix: 16) }) in \(text.debugDescription)")
    }

    @Test(arguments: commands) func anAnswerCannotControlTheTerminal(_ command: [String]) async throws {
        let origin = Origin(
            script: [
                Behaviour {
                    $0.response = .bytes(Array(Self.answer.utf8))
                    $0.contentType = "application/json"
                }
            ]
        )
        defer { origin.stop() }
        // The end of an operation is waited for.
        let finished = Self.answer.replacing(#""state":"\#(Self.hostile)","#, with: #""state":"finished","#)
        origin.serve(
            "/downloads/actions",
            Content(size: 1),
            script: [
                Behaviour {
                    $0.response = .bytes(Array(finished.utf8))
                    $0.contentType = "application/json"
                }
            ]
        )
        for form in [nil] + Self.forms.map({ $0 }) {
            let arguments = command + (form.map { ["--output", $0] } ?? [])
            let result = try await CommandRun.result(of: arguments, environment: ["CORMORANT_SERVER": origin.base])
            expectPlain(result.output, arguments)
            expectPlain(result.errors, arguments)
        }
    }

    @Test(arguments: [["ls"], ["show", id], ["pause", id], ["set", id, "--priority", "1"], ["sessions", "x"]])
    func anErrorCannotControlTheTerminal(_ command: [String]) async throws {
        let problem = """
            {"type":"/problems/\(Self.hostile)","status":409,"title":"\(Self.hostile)","detail":"\(Self.hostile)",\
            "errors":[{"pointer":"/\(Self.hostile)","detail":"x\(Self.hostile)"}]}
            """
        let head = "HTTP/1.1 409 x\u{1B}[2J\r\nContent-Type: application/problem+json\r\n"
        let origin = Origin(
            script: [
                Behaviour {
                    $0.response = .raw(Array("\(head)Content-Length: \(problem.utf8.count)\r\n\r\n\(problem)".utf8))
                }
            ]
        )
        defer { origin.stop() }
        let result = try await CommandRun.result(of: command, environment: ["CORMORANT_SERVER": origin.base])

        #expect(result.exitCode == 76)
        #expect(result.errors.contains("[2Jb"))
        expectPlain(result.output, command)
        expectPlain(result.errors, command)
    }

    @Test func jsonStaysEqualWhereCharactersAreEscaped() async throws {
        let origin = Origin(
            script: [
                Behaviour {
                    $0.response = .bytes(Array(#"{"items":[{"id":"x","state":"y","name":"a\#u{9B}b"}]}"#.utf8))
                    $0.contentType = "application/json"
                }
            ]
        )
        defer { origin.stop() }
        let result = try await CommandRun.result(
            of: ["ls", "-o", "jsonl"],
            environment: ["CORMORANT_SERVER": origin.base]
        )

        #expect(result.output == #"{"id":"x","state":"y","name":"a\u009bb"}"# + "\n")
    }

    @Test func aUsageErrorAndAFileToImportCannotControlTheTerminal() async throws {
        let folder = TemporaryFolder()
        folder.write("http://a.example/1\n  out=x\u{9B}y\n  odd\u{9B}\u{1B}[2J=1\n", to: "input")
        let usage = try await CommandRun.result(of: ["ls", "--\u{9B}31m\u{1B}[2J"])
        let word = try await CommandRun.result(of: ["backup", "one", "two\u{9B}31m\u{1B}[2J"])
        let refused = try await CommandRun.result(of: ["import", folder.path + "/input"])
        let rehearsed = try await CommandRun.result(
            of: ["import", "--dry-run", "--ignore-unknown", folder.path + "/input"]
        )

        #expect(usage.exitCode == 64 && word.exitCode == 64 && refused.exitCode == 65 && rehearsed.exitCode == 0)
        for result in [usage, word, refused, rehearsed] {
            expectPlain(result.output, [])
            expectPlain(result.errors, [])
        }
    }

    @Test func getCannotControlTheTerminal() async throws {
        let folder = TemporaryFolder()
        let origin = Origin(script: [Behaviour { $0.response = .raw(Array("HTTP/1.1 4\u{1B}[2J\u{9B}x\r\n\r\n".utf8)) }]
        )
        defer { origin.stop() }
        let result = try await CommandRun.result(
            of: ["get", "-d", folder.path, "--retry-for", "0", "-o", "a\u{202E}b", origin.url("/a")]
        )

        #expect(result.exitCode != 0)
        expectPlain(result.output, [])
        expectPlain(result.errors, [])
    }

    /// The script of bash, with a file that has the name of an option.
    @Test func theCompletionOfBashOffersNoFileAsAnOption() async throws {
        let folder = TemporaryFolder()
        folder.write("", to: "--format")
        folder.write("", to: "plain")
        let script = """
            cd "$1" && source <("$0" completion bash) || exit 1
            COMP_WORDS=(cormorant import ''); COMP_CWORD=2; COMP_LINE='cormorant import '; COMP_POINT=17
            _cormorant cormorant '' import
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let program = try await Program(
            "/bin/bash",
            ["-c", script, Program.cormorantPath, folder.path],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        let words = try await program.result().output.split(separator: "\n")

        #expect(words.contains("./--format") && words.contains("plain"), "\(words)")
        // Once, as the option that it is.
        #expect(words.count { $0 == "--format" } <= 1, "\(words)")
    }

    @Test func aNameThatBeginsWithAHyphenIsGivenWithItsFolder() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        let process = try await ServiceProcess(dataFolder: folder.path, arguments: ["--min-free-bytes", "0"])
        let server = CommandServer(port: process.port)
        _ = try await server.run("add", "--wait", "--name=--all", origin.url("/a.bin"))
        _ = try await server.run("add", "--paused", "--name=--all", "http://a.example/1")
        let both = try await server.run("show", "./--all")
        let absent = try await server.run("show", "./-x")
        let id = try await server.run("ls", "--state", "paused", "-o", "name")
        _ = try await server.run("rm", "--force", String(id.output.dropLast()))
        let shown = try await server.run("show", "./--all")
        let saved = try await server.run("save", "./--all", "-d", home.path)
        let words = ["---completion", "show", "--", "positional@0", "1", "0", "cormorant", "show", ""]
        let completed = try await server.run(words)

        #expect(both.exitCode == 64 && both.errors.contains("'./--all' is not unique"))
        #expect(absent.exitCode == 66 && absent.errors.contains("--search=-x"))
        #expect(shown.exitCode == 0 && shown.output.contains("--all"))
        #expect(saved.exitCode == 0)
        #expect(completed.output.split(separator: "\n") == ["./--all"])
        #expect(try await process.terminate() == 0)
    }
}
