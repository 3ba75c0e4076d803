import Core
import Service
import Synchronization

/// The progress of transfers, and the timers of streams.
extension EventHub {
    /// Reads the progress of transfers and runs the streams' timers while streams are open.
    func watch() async {
        while count > 0, (try? await time.sleep(for: ProgressTable.interval)) != nil { tick() }
    }

    private func tick() {
        let elapsed = time.elapsed
        // Outside the lock, which every stream takes for each piece that it sends.
        let (shown, wanted) = state.withLock { state in
            let streams = state.streams.values.map(\.request).filter { $0.hasSegments && $0.hasProgress }
            return (state.shared.progress, Set(streams.map(\.filter)))
        }
        let scan = shown.scan(at: running.readings, now: time.now) { [running] progress in
            let isWanted = wanted.contains { $0.concerns(download: progress.id, of: progress.session) }
            return isWanted ? running.segments(of: progress.id) : nil
        }
        let (streams, progress) = state.withLock { state in
            state.shared.progress.show(scan)
            return (Array(state.streams.values), state.shared.progress)
        }
        for stream in streams where stream.tick(elapsed, progress, heartbeat: settings.heartbeat) { stream.wake() }
    }
}
