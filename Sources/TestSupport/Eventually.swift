/// Waits for a state that comes by itself and that nothing announces, such as one of another process.
///
/// - Throws: When it has not come after 20 seconds, which is far more than it takes.
public func eventually(_ isReached: () throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while try !isReached() {
        guard ContinuousClock.now < deadline else { throw NotReached() }
        try await Task.sleep(for: .milliseconds(10))
    }
}

struct NotReached: Error {}
