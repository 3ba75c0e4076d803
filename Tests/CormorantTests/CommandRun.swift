import Foundation
import Synchronization

/// The built program, run as a user runs it.
final class CommandRun: Sendable {
    struct Result: Sendable {
        let exitCode: Int32
        let output: String
        let errors: String
    }

    // Foundation's Process is not Sendable, and is touched under this lock alone.
    private let process: Mutex<Process>
    private let exit: AsyncStream<Int32>
    private let outputPath: String
    private let errorPath: String
    private let scratch: TemporaryDirectory

    /// - Parameter environment: Added to a bare one.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        scratch = try TemporaryDirectory()
        outputPath = scratch.path + "/output"
        errorPath = scratch.path + "/errors"
        let (exit, ended) = AsyncStream.makeStream(of: Int32.self)
        self.exit = exit
        let process = Process()
        process.executableURL = try Self.executable()
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try Self.newFile(outputPath)
        process.standardError = try Self.newFile(errorPath)
        process.terminationHandler = { process in
            ended.yield(process.terminationStatus)
            ended.finish()
        }
        try process.run()
        self.process = Mutex(process)
    }

    /// Runs it to its end.
    static func result(of arguments: [String], environment: [String: String] = [:]) async throws -> Result {
        try await CommandRun(arguments, environment: environment).result()
    }

    /// Waits for its end.
    func result() async throws -> Result {
        var exitCode: Int32 = -1
        for await code in exit { exitCode = code }
        return Result(
            exitCode: exitCode,
            output: try String(contentsOfFile: outputPath, encoding: .utf8),
            errors: try String(contentsOfFile: errorPath, encoding: .utf8)
        )
    }

    func send(_ signal: Int32) {
        let number = process.withLock { $0.processIdentifier }
        // 0 and negative numbers would name whole groups of processes.
        precondition(number > 0, "a process that was not started")
        kill(number, signal)
    }

    /// It lies beside the tests, which are an executable too.
    private static func executable() throws -> URL {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("cormorant")
        if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
        // A toolchain whose helper loads the tests as a library names them in its arguments.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? tests
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("cormorant")
    }

    private static func newFile(_ path: String) throws -> FileHandle {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }
}
