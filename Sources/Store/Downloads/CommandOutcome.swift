public import Core

/// The result of a command.
public enum CommandOutcome: Sendable {
    /// The download after the command.
    /// - `stoppedEpoch`: the claim of a worker that must stop.
    /// - `discardedGeneration`: the part file to remove.
    case done(Download, stoppedEpoch: Int64?, discardedGeneration: Int?)
    case notFound
    case invalidTransition(InvalidTransition)
    /// The state allows the retry, but another download now has its dedupe key.
    case dedupeKeyTaken(by: DownloadID, DownloadState)
    case revisionMismatch(Download)
    /// The edited members cannot be changed in this state.
    case locked([String], Download)
    /// The edit would stop a download whose file is being published. Try again in a moment.
    case busy
    /// The new run needs these members again: their secrets were forgotten when the last run completed.
    case secretsForgotten([String])
    /// The new session or a new webhook refuses the download.
    case refused(CreationRefusal)
    case replayed(StoredResponse)
    case keyReused
}
