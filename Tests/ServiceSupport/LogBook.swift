public import Logging
import Synchronization

/// Keeps every line that is logged, with its metadata.
public final class LogBook: Sendable {
    private let kept = Mutex<[String]>([])

    public init() {}

    public var lines: [String] { kept.withLock { $0 } }

    public var logger: Logger {
        var logger = Logger(label: "tests") { _ in Handler(book: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let book: LogBook
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        init(book: LogBook) {
            self.book = book
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = "\(event.level) \(event.message) \(metadata) \(event.metadata ?? [:])"
            book.kept.withLock { $0.append(line) }
        }
    }
}
