import Glibc
import Synchronization

/// Writes lines to a descriptor on a thread of its own, so that a reader that stalls holds up nobody: a pipe that is
/// not read, or a terminal that was stopped.
///
/// Lines wait in a bounded queue. One that has no room is dropped. The number of dropped lines is written in a line of
/// its own once the reader goes on.
public final class LineWriter: Sendable {
    private struct State {
        var lines = RingQueue<[UInt8]>()
        var bytes = 0
        var dropped = 0
        var isWriting = false
        var flushes: [Semaphore] = []
    }

    /// For standard error.
    public static let standardError = LineWriter(StandardStream.error.rawValue)

    /// The maximum number of waiting bytes.
    public static let limit = 1 << 20

    private let descriptor: CInt
    private let state = Mutex(State())
    private let workers = Workers(limit: 1, name: "log")

    /// - Parameter descriptor: It must stay open.
    public init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit { workers.stop() }

    /// Queues a line, or drops it if there is no room.
    ///
    /// - Parameters:
    ///   - line: With its line end.
    ///   - report: Makes the line that tells how many lines were dropped.
    public func write(_ line: [UInt8], report: @escaping @Sendable (_ dropped: Int) -> [UInt8]) {
        let starts = state.withLock { state in
            guard state.bytes + line.count <= Self.limit else {
                state.dropped += 1
                return false
            }
            state.lines.append(line)
            state.bytes += line.count
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard starts else { return }
        workers.submit { [self] in
            while let line = next(report) { Self.write(line, to: descriptor) }
        }
    }

    /// Waits until everything is written that is queued now.
    ///
    /// - Parameter patience: The maximum wait: the reader may never go on.
    public func flush(atMost patience: Duration) {
        let done = Semaphore()
        let isBusy = state.withLock { state in
            if state.isWriting { state.flushes.append(done) }
            return state.isWriting
        }
        if isBusy { _ = done.wait(atMost: patience) }
    }

    /// The next line to write; nil if there is none.
    private func next(_ report: (Int) -> [UInt8]) -> [UInt8]? {
        state.withLock { state in
            if let line = state.lines.popFirst() {
                state.bytes -= line.count
                return line
            }
            if state.dropped > 0 {
                defer { state.dropped = 0 }
                return report(state.dropped)
            }
            state.isWriting = false
            for flush in state.flushes { flush.signal() }
            state.flushes = []
            return nil
        }
    }

    private static func write(_ line: [UInt8], to descriptor: CInt) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            // A closed pipe or a full disk: the line is lost, as it is for every program.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
