/// Why a queued download does not begin, although a slot is free.
public enum QueueHold: Hashable, Sendable {
    /// Nothing runs; until an instant if a window of the schedule says so.
    case pause(until: Timestamp?)
    /// Its host takes no further connection now.
    case host(HostSnapshot)

    /// The word of `waiting_for`.
    public var word: String {
        switch self {
        case .pause: Self.pauseWord
        case .host: WaitingFor.host.rawValue
        }
    }

    /// The one that no stored download waits for.
    public static let pauseWord = "pause"
}

extension Download {
    /// Why the download does not run, in a sentence with its number and instant; nil unless it waits.
    ///
    /// - Parameters:
    ///   - hold: What keeps a queued download from a slot.
    ///   - instant: Writes an instant.
    public func waitingReason(_ hold: QueueHold?, instant: (Timestamp) -> String) -> String? {
        switch (state, hold) {
        case (.queued, .pause(let until)?):
            let end = until.map { " until \(instant($0))" } ?? " by a client"
            return "All downloads are paused\(end)."
        case (.queued, .host(let host)?): return host.waitingReason(of: request.url.authority, instant: instant)
        case (.waiting, _): return waitingReason(instant)
        default: return nil
        }
    }

    private func waitingReason(_ instant: (Timestamp) -> String) -> String? {
        let next = times.nextAttemptAt.map { "; next try \(instant($0))" } ?? ""
        switch waitingFor {
        case .retry: return "Attempt \(attempts.count) failed\(cause(instant))\(next)."
        case .host: return "\(request.url.authority) takes no request now\(cause(instant))\(next)."
        case .space: return "The disk has too little free space; it is checked every 5 seconds."
        case .io: return "The disk could not be read or written\(cause(instant))\(next)."
        case .credentials:
            return "The origin refused the credentials\(cause(instant)); send others, or another URL."
        case .schedule: return "It begins at \(instant(times.nextAttemptAt ?? request.notBefore ?? times.queuedAt))."
        case .resume:
            let crashes = max(attempts.crashes, attempts.crashesDespiteProgress)
            return "The service ended unexpectedly \(crashes) times while it ran; resume it to try again."
        case nil: return nil
        }
    }

    private func cause(_ instant: (Timestamp) -> String) -> String {
        guard let failure = error else { return "" }
        let status = failure.error.httpStatus.map { " (HTTP \($0))" } ?? ""
        return " with \(failure.error.code.rawValue)\(status) at \(instant(failure.at))"
    }
}
