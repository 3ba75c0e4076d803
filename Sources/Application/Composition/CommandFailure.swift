import Core
import HTTPServer
public import Linux
import Store

/// Ends the command with a message on standard error and an exit code.
public struct CommandFailure: Error, Hashable, Sendable {
    public let status: ExitStatus
    /// For people. The program's name is printed before each line.
    let message: String

    public init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// The text for standard error.
    public var text: String {
        message.split(separator: "\n").map { "cormorant: \($0)\n" }.joined()
    }
}

extension CommandFailure {
    /// The failure if the service could not start or continue.
    public init(starting error: any Error) {
        switch error {
        case let failure as CommandFailure:
            self = failure
        case let error as HTTPServerError:
            self.init(ExitStatus(error), error.description)
        case let error as StoreError:
            self.init(ExitStatus(error), error.explanation)
        case let error as SystemError:
            self.init(
                error.isPermissionDenied ? .permission : .inputOutput,
                "a required system call failed: \(error.message)"
            )
        default:
            self.init(.software, "\(error)")
        }
    }

    /// The failure if the data folder could not be locked.
    init(locking path: String, _ error: FileLockError) {
        switch error {
        case .held(let process):
            let holder = process.map { "process \($0)" } ?? "another process"
            self.init(
                .unavailable,
                """
                the data folder '\(path)' is in use by \(holder)
                stop that process, or name another folder with --data-dir
                """
            )
        case .unavailable(let error):
            self.init(
                ExitStatus(opening: error),
                """
                the data folder '\(path)' cannot be written to: \(error.message)
                give this user the right to write there, or name another folder with --data-dir
                """
            )
        }
    }
}

extension CommandFailure {
    /// The failure if the process could not protect its memory and files (``ProcessHardening``).
    public init(hardening error: SystemError) {
        self.init(.software, "the memory of this process could not be protected: \(error.message)")
    }
}

extension StoreError {
    /// Advice for an operator with a damaged database.
    static let damageAdvice = """
        keep a copy of the data folder, then restore cormorant.db from a backup, or save what can be read of it with \
        `sqlite3 cormorant.db .recover`
        """

    /// The error in words, and what to do.
    fileprivate var explanation: String {
        if case .corrupt = self { "\(self)\n\(Self.damageAdvice)" } else { "\(self)" }
    }
}
