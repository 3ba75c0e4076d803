public import Core

/// A download after a command.
public struct CommandResult: Sendable {
    public let download: Download
    /// The claim of a worker that must stop.
    public let stoppedEpoch: Int64?
}

/// The result of a command on one download.
public typealias CommandOutcome = Result<CommandResult, DownloadRefusal>
