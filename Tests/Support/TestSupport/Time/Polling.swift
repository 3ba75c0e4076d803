import Core

/// Why a state has to be looked at again and again: nothing announces it.
///
/// ``poll(_:because:look:is:)`` and ``ManualTime/turn(by:until:)`` are the only places where a test looks again after a
/// pause. Whatever announces its state is waited for with ``waitUntil(_:after:look:is:)``.
public enum Unannounced: String, Sendable {
    /// A number in memory that the product reads when it needs it: bytes received, connections in use, waiting callers.
    case counter
    /// A commit that posts no notice: a claim that puts the deliveries of a disabled webhook aside.
    case quietCommit
    /// An object that is freed. ARC tells nobody.
    case release
    /// What another process has committed. SQLite tells other processes nothing, and the write to the log that
    /// inotify(7) reports comes before the commit can be read.
    case commitElsewhere
    /// What a service or a proxy in another process does next: it may also end instead.
    case otherProcess
    /// The free space of a file system. It changes after the last name of a file has gone.
    case freeSpace
    /// Whether a service accepts requests: `/readyz` is asked, and announces nothing.
    case readiness
}

/// Looks again and again until a state that nothing announces is as expected.
///
/// - Parameter expected: The state, for the error.
/// - Returns: The state.
/// - Throws: ``NotReached`` with the state that was seen last.
@discardableResult
public func poll<Seen>(
    _ expected: String,
    because reason: Unannounced,
    look: () async throws -> Seen,
    is isReached: (Seen) throws -> Bool
) async throws -> Seen {
    let pulse = Pulse()
    while true {
        let seen = try await look()
        if try isReached(seen) { return seen }
        guard try await pulse.next() else {
            throw NotReached(expected: "\(expected) (\(reason.rawValue))", seen: "\(seen)")
        }
    }
}

/// The same for a state of two values.
public func poll(
    _ expected: String,
    because reason: Unannounced,
    _ isReached: () async throws -> Bool
) async throws {
    try await poll(expected, because: reason, look: isReached) { $0 }
}

extension ManualTime {
    /// Lets time pass, a step at each pulse, until there is a value.
    ///
    /// Nothing tells that all which a step woke has been done, threads of libcurl and of other servers included. So the
    /// pulse leaves them the time in which they usually do it. A slower machine sees more steps.
    ///
    /// - Throws: ``NotReached`` with how far the clock was turned.
    @discardableResult
    public func turn<Value>(
        by step: Duration,
        until expected: String,
        look: () async throws -> Value?
    ) async throws -> Value {
        let pulse = Pulse()
        let began = elapsed
        while true {
            if let value = try await look() { return value }
            advance(by: step)
            guard try await pulse.next() else {
                throw NotReached(expected: expected, seen: "nothing of it after \(elapsed - began) on the test's clock")
            }
        }
    }
}

/// A short pause between two looks.
private struct Pulse {
    private let deadline = ContinuousClock.now + longestWait

    /// - Returns: Whether there is time for another look.
    func next() async throws -> Bool {
        guard ContinuousClock.now < deadline else { return false }
        // The pause decides how soon a state is seen, and never whether a test passes.
        try await Task.sleep(for: .milliseconds(2))
        return true
    }
}
