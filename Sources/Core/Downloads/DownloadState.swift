/// The state of a download. Each case states its meaning and what ends it.
public enum DownloadState: String, CaseIterable, Hashable, Sendable {
    /// Ready to run. Ends when the scheduler claims it for a free slot.
    case queued
    /// A worker runs it, in a ``DownloadPhase``. Ends with the outcome of the attempt, or by the user.
    case running
    /// Not ready, for the reason in ``WaitingFor``. Ends by the clock, with the cause of the wait, or by the user.
    case waiting
    /// Stopped by the user; the bytes are kept. Ends by the user.
    case paused
    /// The file is verified, durable and published. The user may retry with force, which begins a new run.
    case completed
    /// The run failed, and no automatic attempt follows. The bytes are kept for a time. The user may retry, which
    /// begins a new run.
    case failed
    /// Cancelled by the user, who may retry. A retry begins a new run.
    case cancelled

    /// Whether the current run has ended.
    public var isTerminal: Bool {
        switch self {
        case .queued, .running, .waiting, .paused: false
        case .completed, .failed, .cancelled: true
        }
    }

    /// The allowed actions that would change the state, in the order for a user interface.
    ///
    /// A repeated action, such as pausing a paused download, is allowed too but changes nothing.
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
    /// The first request was sent, and its response is not validated yet.
    case probing
    /// Bytes are being received.
    case transferring
    /// Bytes on the disk are being read: a complete file for its digest, or an unfinished one before it resumes, to
    /// compare it with the recorded digests.
    case verifying
    /// The file is being moved to its final path. Pause and cancel are refused.
    case publishing
}

/// The reason why a download waits.
public enum WaitingFor: String, CaseIterable, Hashable, Sendable {
    /// The time of the next attempt.
    case retry
    /// Free space on the disk.
    case space
    /// A working disk, after a read or write error.
    case io
    /// New credentials or a new URL from the user.
    case credentials
    /// The end of a host's delay, for example after `Retry-After`.
    case host
    /// The time in `not_before_at`.
    case schedule
    /// An action of the user, after the process crashed repeatedly while the download ran.
    case resume

    /// The time between attempts while the disk is full or fails.
    public static let diskRetryInterval = Duration.seconds(30)
}

/// A user's action on a download.
public enum DownloadAction: String, CaseIterable, Hashable, Sendable {
    case pause, resume, cancel, retry
}
