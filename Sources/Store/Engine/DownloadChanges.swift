import Model
import Synchronization

/// Wakes whoever waits for one download, and nobody else: were all woken by each commit, a thousand of them would look
/// a thousand times for every one that has something to see.
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
