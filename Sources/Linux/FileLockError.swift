/// Why a ``FileLock`` was not taken.
public enum FileLockError: Error, Hashable, Sendable {
    /// Another has it: the process that wrote its number there last, or nil when none can be read.
    case held(byProcess: Int32?)
    /// The file cannot be opened or locked.
    case unavailable(SystemError)
}

extension FileLockError: CustomStringConvertible {
    /// For a person.
    public var description: String {
        switch self {
        case .held(let process?): "the lock is held by process \(process)"
        case .held(nil): "the lock is held by another process"
        case .unavailable(let error): error.message
        }
    }
}
