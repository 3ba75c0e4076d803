/// Looks again and again until there is a value, for what comes by itself and nothing announces, such as the state of
/// another process.
///
/// - Throws: When it has not come after 90 seconds and 5,000 looks, which is far more than it takes. The looks count
///   because a busy machine stretches the pauses between them.
@discardableResult
public func eventualValue<Value>(_ look: () async throws -> Value?) async throws -> Value {
    let deadline = ContinuousClock.now + .seconds(90)
    var looks = 0
    while true {
        if let value = try await look() { return value }
        looks += 1
        guard ContinuousClock.now < deadline || looks < 5000 else { throw NotReached() }
        // Nothing announces the value, so the pause decides how soon it is seen, and never whether a test passes.
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// The same, for a state.
public func eventually(_ isReached: () async throws -> Bool) async throws {
    try await eventualValue { try await isReached() ? () : nil }
}

struct NotReached: Error {}
