import Foundation
import Glibc
import Linux
import TestSupport
import Testing

@testable import Application
@testable import cormorant

@Suite(.hangLimit)
struct CommandTests {
    @Test
    func theVersionNamesEveryLibraryUnderIt() async throws {
        let result = try await CommandRun.result(of: ["version"])

        #expect(result.exitCode == 0)
        for part in ["cormorant 0.1.0", "libcurl/", "libmicrohttpd/", "SQLite/3.", "Swift 6"] {
            #expect(result.output.contains(part))
        }
    }

    @Test
    func licensesNamesEveryLinkedPackage() async throws {
        let result = try await CommandRun.result(of: ["licenses"])

        #expect(result.exitCode == 0)
        let packages = [
            "BoringSSL", "Foundation", "GRDB.swift", "ICU", "Swift runtime", "XKCP", "swift-argument-parser",
            "swift-async-algorithms", "swift-collections", "swift-crypto", "swift-http-structured-headers",
            "swift-http-types", "swift-log", "swift-service-lifecycle",
        ]
        for package in packages {
            #expect(result.output.contains("\n\(package)"))
        }
        #expect(result.output.contains("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION"))
        #expect(result.output.contains("UNICODE LICENSE V3"))
    }

    @Test(arguments: ["version", "licenses", "serve --print-config"])
    func anUnwritableOutputIsAnError(_ command: String) async throws {
        let program = try await Program(
            "/bin/sh",
            ["-c", "exec \"$0\" \(command) >/dev/full", Program.cormorantPath],
            environment: ["PATH": "/usr/bin:/bin"]
        )

        #expect(try await program.result().exitCode == 74)
    }

    @Test
    func aCheckOfGoodSettingsIsZeroAndSilent() async throws {
        let result = try await CommandRun.result(of: ["serve", "--check-config", "--listen", ":9000"])

        #expect(result.exitCode == 0)
        #expect(result.output.isEmpty && result.errors.isEmpty)
    }

    @Test
    func aCheckOfWrongSettingsSaysAllThatIsWrong() async throws {
        let result = try await CommandRun.result(
            of: ["serve", "--check-config", "--workers", "x"],
            environment: ["CORMORANT_LOG_LEVEL": "loud"]
        )

        #expect(result.exitCode == 78)
        #expect(result.errors.contains("cormorant: workers (--workers): "))
        #expect(result.errors.contains("cormorant: log_level (environment CORMORANT_LOG_LEVEL): "))
    }

    @Test
    func anEmptyTokenStartsNoServiceThatIsOpen() async throws {
        let folder = try TemporaryDirectory()
        let result = try await CommandRun.result(
            of: ["serve", "--listen", "127.0.0.1:0", "--data-dir", folder.path],
            environment: ["CORMORANT_TOKEN": ""]
        )

        #expect(result.exitCode == 78)
        #expect(result.errors.contains("cormorant: token (environment CORMORANT_TOKEN): the variable is empty"))
    }

    /// A token file in the data folder that lost its text is not a token of no characters.
    @Test
    func anEmptyTokenOfTheDataFolderStartsNoService() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("", to: "token")
        let result = try await CommandRun.result(
            of: ["serve", "--listen", "0.0.0.0:0", "--data-dir", folder.path]
        )

        #expect(result.exitCode == 78)
        #expect(result.errors.contains("\(folder.path)/token"))
    }

    @Test
    func theSettingsFileIsNamedByAFlagOrAVariable() async throws {
        let folder = try TemporaryDirectory()
        try folder.write(#"{"max_concurrent": 5}"#, to: "one.json")
        try folder.write(#"{"max_concurrent": 6}"#, to: "two.json")
        let environment = ["CORMORANT_CONFIG": folder.path + "/one.json"]

        let byVariable = try await CommandRun.result(of: ["serve", "--print-config"], environment: environment)
        let byFlag = try await CommandRun.result(
            of: ["serve", "--print-config", "--config", folder.path + "/two.json"],
            environment: environment
        )

        #expect(byVariable.output.contains("file \(folder.path)/one.json"))
        #expect(byFlag.output.contains("file \(folder.path)/two.json"))
    }

    @Test
    func aSettingsFileThatIsMissingIsAnError() async throws {
        #expect(
            try await CommandRun.result(of: ["serve", "--check-config", "--config", "/nowhere.json"]).exitCode == 78
        )
    }

    @Test
    func aDataFolderThatCannotBeWrittenToIsNotSaidToBeInUse() async throws {
        let folder = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: folder.path + "/data/lock", withIntermediateDirectories: true)

        let result = try await CommandRun.result(
            of: ["serve", "--listen", "127.0.0.1:0", "--data-dir", folder.path + "/data"]
        )

        #expect(result.exitCode == 73)
        #expect(result.errors.contains("cormorant: the data folder '\(folder.path)/data' cannot be written to: "))
        #expect(result.errors.contains("--data-dir"))
        #expect(CommandFailure(locking: "data", Self.denied).status == .permission)
    }

    private static let denied = FileLockError.unavailable(SystemError(code: EACCES, call: "open"))

    @Test
    func aSecretOnTheCommandLineIsAUsageErrorThatDoesNotRepeatIt() async throws {
        let result = try await CommandRun.result(of: ["serve", "--check-config", "--token", "0123456789abcdef"])

        #expect(result.exitCode == 64)
        #expect(!result.errors.contains("0123456789abcdef"))
    }
}

@Suite(.hangLimit)
struct HealthcheckTests {
    @Test
    func aServiceThatAnswersLives() async throws {
        let origin = Origin()
        defer { origin.stop() }

        let result = try await CommandRun.result(of: ["healthcheck", "--server", origin.base])

        #expect(result.exitCode == 0)
        #expect(origin.requests.map(\.target) == ["/livez"])
    }

    @Test
    func theHealthCheckUsesTheListenSetting() async throws {
        let origin = Origin()
        defer { origin.stop() }

        let result = try await CommandRun.result(
            of: ["healthcheck"],
            environment: ["CORMORANT_LISTEN": ":\(origin.port)"]
        )

        #expect(result.exitCode == 0)
        #expect(origin.requests.count == 1)
    }

    @Test
    func anAnswerOfAnotherStatusIsNoLife() async throws {
        let origin = Origin(script: [.page(503)])
        defer { origin.stop() }

        let result = try await CommandRun.result(of: ["healthcheck", "--server", origin.base])

        #expect(result.exitCode == 69)
        #expect(result.errors.contains("status 503"))
    }

    @Test
    func aClosedPortFailsTheHealthCheck() async throws {
        let origin = Origin()
        let base = origin.base
        origin.stop()

        #expect(try await CommandRun.result(of: ["healthcheck", "--server", base]).exitCode == 69)
    }

    @Test
    func aServerThatIsNoURLIsAUsageError() async throws {
        #expect(try await CommandRun.result(of: ["healthcheck", "--server", "here"]).exitCode == 64)
    }
}

/// The built program, run as a user runs it.
struct CommandRun {
    typealias Result = Program.Result

    private let program: Program

    /// - Parameter environment: Added to a bare one.
    init(_ arguments: [String], environment: [String: String] = [:]) async throws {
        let bare = ["PATH": "/usr/bin:/bin"]
        program = try await Program(
            Program.cormorantPath,
            arguments,
            environment: bare.merging(environment) { $1 }
        )
    }

    /// Runs it to its end.
    static func result(of arguments: [String], environment: [String: String] = [:]) async throws -> Result {
        try await CommandRun(arguments, environment: environment).result()
    }

    /// Waits for its end.
    func result() async throws -> Result {
        try await program.result()
    }

    func send(_ signal: Int32) {
        program.send(signal)
    }

    /// Waits for a line on standard error.
    ///
    /// - Returns: nil if the program ended without it.
    func firstErrorLine(containing text: String) async -> String? {
        for await line in program.errorLines where line.contains(text) { return line }
        return nil
    }
}
