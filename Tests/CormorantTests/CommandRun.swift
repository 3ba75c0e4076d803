import TestSupport

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
}
