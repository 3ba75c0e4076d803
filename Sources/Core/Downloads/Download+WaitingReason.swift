extension Download {
    /// A sentence that says why the download waits, with the number and the instant; nil if it does not wait.
    ///
    /// - Parameters:
    ///   - deferral: What keeps a queued download from a slot.
    ///   - instant: Formats an instant.
    public func waitingReason(_ deferral: QueueDeferral?, instant: (Timestamp) -> String) -> String? {
        switch (state, deferral) {
        case (.queued, .pause(let until)?):
            let end = until.map { " until \(instant($0))" } ?? " by a client"
            return "All downloads are paused\(end)."
        case (.queued, .space?): return Self.shortOfSpace
        case (.queued, .host(let host)?): return host.waitingReason(of: request.url.authority, instant: instant)
        case (.waiting, _): return waitingReason(instant)
        default: return nil
        }
    }

    private static let shortOfSpace = "The disk has too little free space; it is checked every 5 seconds."

    private func waitingReason(_ instant: (Timestamp) -> String) -> String? {
        let next = times.nextAttemptAt.map { "; next try \(instant($0))" } ?? ""
        switch waitingFor {
        case .retry: return "Attempt \(attempts.count) failed\(cause(instant))\(next)."
        case .host: return "\(request.url.authority) \(refusal(instant))\(next)."
        case .space: return Self.shortOfSpace
        case .io where error?.error.code == .rootUnavailable:
            return "\(error?.error.message.dropLast() ?? "")\(next)."
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

    /// How the host refused the last request.
    private func refusal(_ instant: (Timestamp) -> String) -> String {
        guard let failure = error, let status = failure.error.httpStatus else {
            return "accepts no request now\(cause(instant))"
        }
        return "answered \(status) at \(instant(failure.at))"
    }

    private func cause(_ instant: (Timestamp) -> String) -> String {
        guard let failure = error else { return "" }
        let status = failure.error.httpStatus.map { " (HTTP \($0))" } ?? ""
        return " with \(failure.error.code.rawValue)\(status) at \(instant(failure.at))"
    }
}
