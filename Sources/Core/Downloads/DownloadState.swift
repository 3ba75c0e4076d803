/// Where a download stands in its life. Each case says what it means and who moves it on.
public enum DownloadState: String, CaseIterable, Hashable, Sendable {
    /// Due as soon as a slot is free. The scheduler claims it.
    case queued
    /// A worker has it; its ``DownloadPhase`` says how far it is. Its outcome moves it on, or the user.
    case running
    /// Not now; its ``WaitingFor`` says why. The clock, the cause going away, or the user moves it on.
    case waiting
    /// The user stopped it, its bytes are kept. The user moves it on.
    case paused
    /// Verified, durable, in its place. Nobody moves it on.
    case completed
    /// No further automatic attempt; its bytes are kept for a time. The user may retry it, which opens a new run.
    case failed
    /// The user gave it up. The user may retry it, which opens a new run.
    case cancelled

    /// Whether the current run has ended.
    public var isTerminal: Bool {
        switch self {
        case .queued, .running, .waiting, .paused: false
        case .completed, .failed, .cancelled: true
        }
    }

    /// The actions that change something here, in the order in which a front-end shows them.
    ///
    /// A repeated action (to pause a paused download) is allowed too, and changes nothing.
    public func allowedActions(in phase: DownloadPhase?) -> [DownloadAction] {
        switch self {
        case .running where phase == .publishing: []
        case .queued, .running: [.pause, .cancel]
        case .waiting: [.pause, .resume, .cancel]
        case .paused: [.resume, .cancel]
        case .failed, .cancelled: [.retry]
        case .completed: []
        }
    }
}

/// How far a running download is.
public enum DownloadPhase: String, CaseIterable, Hashable, Sendable {
    /// The origin was asked; its first answer is not judged yet.
    case probing
    /// Bytes are arriving.
    case transferring
    /// Bytes on the disk are read again: those of a whole file for its digest, or those of an unfinished one, before it
    /// goes on, to compare them with what was recorded.
    case verifying
    /// The file is being moved to its place. Pause and cancel come too late.
    case publishing
}

/// Why a waiting download waits.
public enum WaitingFor: String, CaseIterable, Hashable, Sendable {
    /// The time of the next attempt.
    case retry
    /// Room on the disk.
    case space
    /// A disk that reads and writes again.
    case io
    /// New credentials, or a new URL, from the user.
    case credentials
    /// The origin's host, which asked to be left alone for a time.
    case host
    /// The hours in which it may run.
    case schedule
    /// A resume by the user: the process ended again and again while it ran.
    case resume

    /// How soon a disk that was full, or failed to read or write, is tried again.
    public static let diskRetryInterval = Duration.seconds(30)
}

/// What a user may ask of a download.
public enum DownloadAction: String, CaseIterable, Hashable, Sendable {
    case pause, resume, cancel, retry
}
