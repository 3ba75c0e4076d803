import Core
import Service
public import ServiceLifecycle
import Synchronization

extension EventHub: Service {
    /// Serves all streams until the service stops.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                let reading = ClaimLoop { await self.readLog() }
                group.addTask { for await _ in self.additions { await reading.run() } }
                group.addTask { for await _ in self.nudges { await reading.run() } }
                group.addTask { for await _ in self.fetches { await self.fetchRequested() } }
                group.addTask { for await _ in self.openings { await self.watch() } }
            }
        }
    }

    /// Ends every stream and every long poll, and refuses new ones, because the service is about to stop.
    ///
    /// Clients reconnect after different delays, so that they do not all reach the next process at once.
    public func shutdown() {
        let (streams, waiters) = state.withLock { state in
            state.isShuttingDown = true
            defer { state.waiters = [:] }
            return (Array(state.streams.values), Array(state.waiters.values))
        }
        for stream in streams { stream.end(Self.retryFrame()) }
        for waiter in waiters { waiter.finish() }
    }

    static func retryFrame() -> [UInt8] { StreamFrame.retry(Int.random(in: 1000...5000)) }
}
