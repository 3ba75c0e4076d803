public import Linux

/// Why a call on finished files failed. Nothing can be said about the file then.
public struct FilesUnavailable: Error, Hashable, Sendable {
    public enum Cause: Hashable, Sendable {
        /// The place or the quota of its owner is full.
        case outOfSpace
        /// The process or the machine has no free descriptor. The call succeeds when others are closed.
        case outOfDescriptors
        /// A part of the path is no folder, or is in another place.
        case unreachable
        /// The task was cancelled during a comparison of bytes.
        case cancelled
        case other
    }

    public let cause: Cause
    /// The reason as a clause for people, such as "the disk is full".
    public let message: String
    /// The reason for the log.
    public let description: String
    /// Whether the root must be opened again before the call is repeated. Nothing was changed then.
    let needsReopening: Bool

    init(_ cause: Cause, _ message: String, description: String, needsReopening: Bool = false) {
        (self.cause, self.message, self.description) = (cause, message, description)
        self.needsReopening = needsReopening
    }

    init(_ error: SystemError, needsReopening: Bool) {
        let cause: Cause =
            if error.isOutOfSpace {
                .outOfSpace
            } else if error.isOutOfDescriptors {
                .outOfDescriptors
            } else if error.isUnreachable {
                .unreachable
            } else if error == .cancelled {
                .cancelled
            } else {
                .other
            }
        self.init(cause, error.message, description: error.description, needsReopening: needsReopening)
    }

    /// The failure of a system call on a local file.
    public init(_ error: SystemError) {
        self.init(error, needsReopening: false)
    }
}

extension FilesUnavailable: CustomStringConvertible {}

extension SystemError {
    /// `ECANCELED`: the caller stopped waiting.
    static let cancelled = Self(code: 125, call: "read")
}
