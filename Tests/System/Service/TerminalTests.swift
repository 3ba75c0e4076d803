import Foundation
import Glibc
import TestSupport
import Testing

/// What `serve` says to a person: it runs on a terminal of script(1), which is a part of every Debian.
@Suite(.hangLimit)
struct TerminalTests {
    private let folder = TemporaryFolder()
    private static let script = "/usr/bin/script"
    private static let hasScript = FileManager.default.isExecutableFile(atPath: script)

    private func start(_ environment: [String: String] = [:]) async throws -> Program {
        try await Program(
            "/bin/sh",
            [
                "-c", #"exec "$0" -qefc "$1 serve --listen 127.0.0.1:0 --data-dir $2" /dev/null >&2"#,
                Self.script, Program.cormorantPath, folder("data"),
            ],
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }
        )
    }

    /// Stops the program on the terminal, whose process the lock of the data folder names.
    private func stop() throws {
        let text = try String(contentsOfFile: folder("data/lock"), encoding: .utf8)
        let process = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        try #require(process > 1)
        kill(process, SIGTERM)
    }

    @Test(.enabled(if: hasScript, "script (bsdutils) is missing"))
    func aStartIsToldInThreeLines() async throws {
        let program = try await start()
        var lines: [String] = []
        for await line in program.errorLines {
            // The log goes on beside the greeting.
            guard !line.contains(" info ") else { continue }
            lines.append(line.trimmingCharacters(in: .whitespacesAndNewlines))
            if line.contains("token") { break }
        }
        try stop()
        let result = try await program.result()

        #expect(result.exitCode == 0)
        try #require(lines.count == 3, "\(lines)")
        #expect(lines[0].hasPrefix("The page is at http://127.0.0.1:") && !lines[0].hasSuffix(":0/"))
        #expect(lines[1] == "Finished files go to \(folder("data/downloads"))")
        #expect(lines[2].hasPrefix("No token is needed"))
        #expect(!result.errors.contains("libcurl/"))
    }

    @Test(.enabled(if: hasScript, "script (bsdutils) is missing"))
    func aMisspelledVariableIsWarnedOfAtTheStart() async throws {
        let program = try await start(["CORMORANT_LISTN": "127.0.0.1:1", "CORMORANT_SERVICE_HOST": "10.0.0.1"])
        for await line in program.errorLines where line.contains("No token") { try stop() }
        let errors = try await program.result().errors

        #expect(errors.contains("warning the variable CORMORANT_LISTN is no setting"))
        #expect(errors.contains("did you mean CORMORANT_LISTEN?"))
        #expect(!errors.contains("CORMORANT_SERVICE_HOST"))
    }
}
