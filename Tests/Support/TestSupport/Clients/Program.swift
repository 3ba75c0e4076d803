import Foundation
import Glibc
import Subprocess
import SystemPackage

/// A program that runs beside the tests, and is gone with this object at the latest.
public final class Program: Sendable {
    /// How it ended and what it wrote.
    public struct Result: Sendable {
        /// Its exit code, or 128 and the number of the signal that ended it, as a shell counts.
        public let exitCode: Int32
        public let output: String
        public let errors: String
    }

    private static let maxOutputBytes = 16 << 20

    public let processID: Int32
    /// Its standard error as it comes, up to its end.
    public let errorLines: AsyncStream<String>
    private let run: Task<Result, any Error>

    /// Starts it.
    ///
    /// - Parameter environment: All of its variables.
    public init(_ path: String, _ arguments: [String], environment: [String: String]) async throws {
        let (errorLines, errorLine) = AsyncStream.makeStream(of: String.self)
        self.errorLines = errorLines
        let (started, start) = AsyncThrowingStream.makeStream(of: Int32.self)
        let variables = environment.map { Array("\($0)=\($1)\0".utf8) }
        run = Task {
            defer {
                start.finish()
                errorLine.finish()
            }
            let ended = try await Subprocess.run(
                .path(FilePath(path)),
                arguments: Arguments(arguments),
                environment: .custom(variables),
                input: .none,
                output: .string(limit: Self.maxOutputBytes),
                error: .sequence
            ) { execution in
                start.yield(execution.processIdentifier.value)
                start.finish()
                var errors = ""
                for try await line in execution.standardError.strings() {
                    errors += line + "\n"
                    errorLine.yield(line)
                }
                return errors
            }
            return Result(
                exitCode: Self.exitCode(ended.terminationStatus),
                output: ended.standardOutput,
                errors: ended.closureResult
            )
        }
        var processID: Int32?
        for try await identifier in started { processID = identifier }
        // Without an identifier the run failed, and says why, or the test was cancelled.
        guard let processID else {
            run.cancel()
            _ = try await run.value
            throw CancellationError()
        }
        self.processID = processID
    }

    deinit {
        run.cancel()
    }

    /// Sends it a signal; it may have ended, but nobody may have waited for that yet.
    public func send(_ signal: Int32) {
        // 0 and negative numbers would name whole groups of processes.
        precondition(processID > 0, "a process that was not started")
        kill(processID, signal)
    }

    /// Waits for its end.
    public func result() async throws -> Result {
        try await run.value
    }

    private static func exitCode(_ status: TerminationStatus) -> Int32 {
        switch status {
        case .exited(let code): code
        case .signaled(let number): 128 + number
        }
    }
}

extension Program {
    /// Where the program of this package lies: beside the tests, which are an executable too.
    public static var cormorantPath: String {
        let running = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = Self.sibling(of: running)
        if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        // A toolchain whose helper loads the tests as a library names them in its arguments.
        return Self.sibling(of: CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? running)
    }

    private static func sibling(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("cormorant").path
    }
}
