public import Logging
import Synchronization

/// Lets so many in at once, in the order in which they came.
///
/// All tests run at the same time, and each whole service among them has limits of time for strangers: were a hundred
/// of them to share two cores, they would meet those of the others.
actor AsyncSemaphore {
    static let services = AsyncSemaphore(places: 6)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) {
        free = places
    }

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}

/// Keeps every line that is logged, with its metadata.
public final class LogRecorder: Sendable {
    private let stored = Mutex<[String]>([])

    public init() {}

    public var lines: [String] { stored.withLock { $0 } }

    public var logger: Logger {
        var logger = Logger(label: "tests") { _ in Handler(recorder: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        init(recorder: LogRecorder) {
            self.recorder = recorder
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = "\(event.level) \(event.message) \(metadata) \(event.metadata ?? [:])"
            recorder.stored.withLock { $0.append(line) }
        }
    }
}
