import ServiceSupport
import TestSupport
import Testing

/// A service in a process of its own, and the commands that are run against it.
struct CommandServer {
    let port: UInt16

    func run(_ arguments: String...) async throws -> CommandRun.Result { try await run(arguments) }

    func run(_ arguments: [String]) async throws -> CommandRun.Result {
        try await CommandRun.result(
            of: arguments,
            environment: ["CORMORANT_SERVER": "http://127.0.0.1:\(port)"]
        )
    }
}

/// Runs `body` with a service, which must end well.
func withCommandServer(
    _ folder: TemporaryFolder,
    _ arguments: String...,
    body: (CommandServer) async throws -> Void
) async throws {
    let process = try await ServiceProcess(
        dataFolder: folder.path,
        arguments: ["--min-free-bytes", "0"] + arguments
    )
    do {
        try await body(CommandServer(port: process.port))
    } catch {
        _ = try await process.terminate()
        throw error
    }
    #expect(try await process.terminate() == 0)
}
