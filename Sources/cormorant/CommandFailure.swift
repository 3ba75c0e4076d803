import ArgumentParser

/// Ends the command with a message on standard error and an exit code.
struct CommandFailure: Error, Hashable, Sendable {
    let status: ExitStatus
    /// For a person; each of its lines is shown behind the program's name.
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// What goes to standard error.
    var text: String {
        message.split(separator: "\n").map { "cormorant: \($0)\n" }.joined()
    }
}
