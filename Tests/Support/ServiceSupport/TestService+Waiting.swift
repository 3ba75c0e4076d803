import API
public import Core
public import Store
import TestSupport

extension TestService {
    /// Waits until there is a value. It looks once at the beginning and after each commit that posts one of `interest`.
    @discardableResult
    public func wait<Value>(
        for interest: Notice,
        fileID: String = #fileID,
        line: Int = #line,
        _ look: () async throws -> Value?
    ) async throws -> Value {
        try await seeing("what \(fileID):\(line) waits for") { expected in
            let changes = Changes()
            // Before the first look: a commit after it wakes.
            let notices = store.notices.stream(of: interest)
            let relay = Task { for await _ in notices { changes.post() } }
            defer { relay.cancel() }
            return try await waitUntil(expected, after: changes, look: look) { $0 != nil }
        }
    }

    /// Waits until there is a value that depends on the webhooks' deliveries.
    @discardableResult
    public func waitForDeliveries<Value>(
        fileID: String = #fileID,
        line: Int = #line,
        _ look: () async throws -> Value?
    ) async throws -> Value {
        try await wait(for: [.deliveries, .attempts, .events, .downloads], fileID: fileID, line: line, look)
    }

    /// A download as it is recorded.
    public func record(_ id: String) async throws -> Download {
        guard let id = DownloadID(id), let download = try await store.download(id) else {
            throw NotReached(expected: "a download \(id)", seen: "none")
        }
        return download
    }

    /// Waits until a download stands in one of `states`.
    @discardableResult
    public func wait(_ id: String, _ states: DownloadState...) async throws -> Download {
        try await wait(for: [.events, .downloads]) {
            let download = try await record(id)
            return states.contains(download.state) ? download : nil
        }
    }

    /// Turns the clock on, step by step, until there is a value.
    @discardableResult
    public func advanceClock<Value>(
        by step: Duration,
        fileID: String = #fileID,
        line: Int = #line,
        until look: () async throws -> Value?
    ) async throws -> Value {
        try await seeing("what \(fileID):\(line) waits for") { expected in
            try await time.turn(by: step, until: expected, look: look)
        }
    }

    /// Turns the clock until a download stands in one of `states`.
    @discardableResult
    public func advanceClock(by step: Duration, until id: String, _ states: DownloadState...) async throws -> Download {
        try await advanceClock(by: step) {
            let download = try await record(id)
            return states.contains(download.state) ? download : nil
        }
    }

    /// Adds to a failure what the service did last.
    private func seeing<Value>(_ expected: String, _ body: (String) async throws -> Value?) async throws -> Value {
        do {
            if let value = try await body(expected) { return value }
            throw NotReached(expected: expected, seen: "nothing")
        } catch let error as NotReached {
            let lines = logs.lines.suffix(10).joined(separator: "\n")
            throw NotReached(expected: error.expected, seen: "\(error.seen); the last lines of the log:\n\(lines)")
        }
    }
}

extension TestService {
    /// Waits until a running download has `count` bytes, durable or not.
    public func wait(_ id: String, receives count: Int64) async throws {
        try await poll("\(count) bytes of \(id)", because: .counter) {
            try await show(id)["progress"]?["received_bytes"]?.integer
        } is: {
            $0 == count
        }
    }

    /// Waits until the service accepts requests.
    public func isReady() async throws {
        try await poll("an answer of 200 at /readyz", because: .readiness) {
            try await send("GET", "/readyz").status
        } is: {
            $0 == 200
        }
    }

    /// Waits until so many requests wait for a download to change.
    public func hasWaiters(_ count: Int) async throws {
        // A request that waits begins to wait for its time to be over right after it is counted.
        try await waitUntil("\(count) requests that wait", after: time.sleeperChanges) {
            hub.waiterCount
        } is: {
            $0 == count
        }
    }

    /// Waits until so many streams of events are open.
    public func hasStreams(_ count: Int) async throws {
        try await poll("\(count) streams", because: .counter) {
            hub.count
        } is: {
            $0 == count
        }
    }

    /// Waits until no part file is left.
    public func hasNoParts() async throws {
        try await names(in: "parts", are: [])
    }

    /// Waits until a folder of the service holds these names alone.
    public func names(in name: String, are expected: [String]) async throws {
        let watch = FolderWatch(folder(name))
        try await watch.waitUntil("\(expected) in \(name)") {
            folder.names(in: name)
        } is: {
            $0 == expected
        }
    }
}
