/// The state of a download. Each case says what it means and what moves it on.
public enum DownloadState: String, CaseIterable, Hashable, Sendable {
    /// Due as soon as a slot is free. The scheduler claims it.
    case queued
    /// A worker has it; its ``DownloadPhase`` says more. Its outcome or the user moves it on.
    case running
    /// Not now; its ``WaitingFor`` says why. The clock, the end of the cause, or the user moves it on.
    case waiting
    /// The user stopped it; its bytes are kept. The user moves it on.
    case paused
    /// Verified, durable, in its place. It never changes state again.
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

    /// The allowed actions that would change something, in the order in which a front-end shows them.
    ///
    /// A repeated action (pause of a paused download) is allowed too, and changes nothing.
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

/// The phase of a running download.
public enum DownloadPhase: String, CaseIterable, Hashable, Sendable {
    /// The first request was sent; its response is not validated yet.
    case probing
    /// Bytes are arriving.
    case transferring
    /// Bytes on the disk are read: those of a whole file for its digest, or those of an unfinished file to compare them
    /// with the record before it resumes.
    case verifying
    /// The file is being moved to its place. Pause and cancel are refused.
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
    /// The end of a host's deferral, as after `Retry-After`.
    case host
    /// Its `not_before_at`.
    case schedule
    /// A resume by the user, after repeated crashes of the process while it ran.
    case resume

    /// How soon a disk that was full, or failed to read or write, is tried again.
    public static let diskRetryInterval = Duration.seconds(30)
}

/// An action of a user on a download.
public enum DownloadAction: String, CaseIterable, Hashable, Sendable {
    case pause, resume, cancel, retry
}
