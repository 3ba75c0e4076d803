public import Logging
import Synchronization
public import TestSupport

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
    /// Posted after each line.
    public let changes = Changes()

    public init() {}

    public var lines: [String] { stored.withLock { $0 } }

    /// Waits for a line that has `text` in it.
    ///
    /// - Returns: The first such line.
    @discardableResult
    public func line(with text: String) async throws -> String {
        let found = try await waitUntil("a line with '\(text)'", after: changes) {
            lines
        } is: {
            $0.contains { $0.contains(text) }
        }
        return found.first { $0.contains(text) } ?? ""
    }

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
            recorder.changes.post()
        }
    }
}
