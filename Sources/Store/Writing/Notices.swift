import Core
import Synchronization

/// Wakes the components that wait for work. Several notices for a busy listener are coalesced.
public final class Notices: Sendable {
    private struct Listener: Sendable {
        let interest: Notice
        let continuation: AsyncStream<Void>.Continuation
    }

    private let listeners = Mutex<[Int: Listener]>([:])
    private let nextKey = Atomic<Int>(0)

    init() {}

    /// A stream that yields after each commit with a notice in `interest`.
    public func stream(of interest: Notice) -> AsyncStream<Void> {
        let key = nextKey.wrappingAdd(1, ordering: .relaxed).oldValue
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.onTermination = { [weak self] _ in
            _ = self?.listeners.withLock { $0.removeValue(forKey: key) }
        }
        listeners.withLock { $0[key] = Listener(interest: interest, continuation: continuation) }
        return stream
    }

    func post(_ notice: Notice) {
        guard !notice.isEmpty else { return }
        let woken = listeners.withLock { listeners in
            listeners.values.filter { !$0.interest.isDisjoint(with: notice) }
        }
        for listener in woken { listener.continuation.yield() }
    }
}

/// Wakes the listeners of one download. If each commit woke all listeners, a thousand of them would read the store for
/// each download that changed.
final class DownloadChanges: Sendable {
    private struct State {
        var listeners: [DownloadID: [Int: AsyncStream<Void>.Continuation]] = [:]
        var lastKey = 0
    }

    private let state = Mutex(State())

    func listen(to id: DownloadID) -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let key = state.withLock { state in
            state.lastKey += 1
            state.listeners[id, default: [:]][state.lastKey] = continuation
            return state.lastKey
        }
        continuation.onTermination = { [weak self] _ in self?.leave(id, key) }
        return (stream, continuation)
    }

    private func leave(_ id: DownloadID, _ key: Int) {
        state.withLock { state in
            state.listeners[id]?[key] = nil
            if state.listeners[id]?.isEmpty == true { state.listeners[id] = nil }
        }
    }

    func post(_ ids: Set<DownloadID>) {
        guard !ids.isEmpty else { return }
        let woken = state.withLock { state in
            state.listeners.isEmpty ? [] : ids.flatMap { state.listeners[$0].map { Array($0.values) } ?? [] }
        }
        for listener in woken { listener.yield() }
    }
}
