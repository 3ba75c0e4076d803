import API
public import Core
public import Store
import TestSupport

extension TestService {
    /// What was waited for did not come.
    public struct NotReached: Error {
        public let standing: String

        public init(standing: String) {
            self.standing = standing
        }
    }

    /// Looks at each change of the store until there is a value.
    @discardableResult
    public func wait<Value>(for interest: Notice, _ look: () async throws -> Value?) async throws -> Value {
        let changes = store.notices.stream(of: interest)
        if let value = try await look() { return value }
        for await _ in changes {
            if let value = try await look() { return value }
        }
        throw NotReached(standing: "the test's time is over")
    }

    /// A download as it is recorded.
    public func record(_ id: String) async throws -> Download {
        guard let id = DownloadID(id), let download = try await store.download(id) else {
            throw NotReached(standing: "there is no download \(id)")
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

    /// Looks again and again until there is a value, for what nothing announces.
    @discardableResult
    public func poll<Value>(_ look: () async throws -> Value?) async throws -> Value {
        try await turnClock(by: .zero, until: look)
    }

    /// Turns the clock on, step by step, until there is a value.
    @discardableResult
    public func turnClock<Value>(by step: Duration, until look: () async throws -> Value?) async throws -> Value {
        try await eventualValue {
            if let value = try await look() { return value }
            if step > .zero { time.advance(by: step) }
            return nil
        }
    }

    /// Turns the clock until a download stands in one of `states`.
    @discardableResult
    public func turnClock(by step: Duration, until id: String, _ states: DownloadState...) async throws -> Download {
        try await turnClock(by: step) {
            let download = try await record(id)
            return states.contains(download.state) ? download : nil
        }
    }

    /// Waits until a running download has `count` bytes, durable or not.
    public func wait(_ id: String, receives count: Int64) async throws {
        try await poll { try await show(id)["progress"]?["received_bytes"]?.integer == count ? () : nil }
    }
}
