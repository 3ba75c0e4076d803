/// Why a change of a download, or its deletion, is refused. Nothing was changed.
public enum DownloadRefusal: Error, Hashable, Sendable {
    case notFound
    case invalidTransition(InvalidTransition)
    /// The state allows the retry, but another download now has its dedupe key.
    case dedupeKeyTaken(by: DownloadID, DownloadState)
    /// The download has another revision than the client expects.
    case revisionMismatch(Download)
    /// The edited members cannot be changed in this state.
    case locked([String], Download)
    /// The download has not ended, so it is not deleted without force.
    case notTerminal(Download)
    /// The file is being published, moved or removed. Try again in a moment.
    case busy
    /// The new run needs these members again: their secrets were forgotten when the last run completed.
    case secretsForgotten([String])
    /// The new session or a new webhook refuses the download.
    case assignment(CreationRefusal)
}
