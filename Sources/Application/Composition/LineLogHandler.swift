import API
import Core
import Linux
import Logging

/// Writes each entry as one line to standard error: JSON for machines, text for people.
///
/// An entry is always one line of printable characters, whatever an origin or a client sends.
struct LineLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    let format: LogFormat

    init(level: Logger.Level, format: LogFormat) {
        logLevel = level
        self.format = format
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = metadata.merging(event.metadata ?? [:]) { $1 }
            .map { (key: $0.key, value: JSONLine.Value($0.value)) }
            .sorted { $0.key < $1.key }
        let now = Instant.text(Timestamp(milliseconds: WallClock.nowMilliseconds))
        LineWriter.standardError.write(Array(line(now, event, values).utf8)) { [self] dropped in
            let event = LogEvent(
                level: .warning,
                message: "log lines dropped",
                metadata: nil,
                source: "",
                file: #fileID,
                function: #function,
                line: #line
            )
            let now = Instant.text(Timestamp(milliseconds: WallClock.nowMilliseconds))
            return Array(line(now, event, [("count", .number(Int64(dropped)))]).utf8)
        }
    }

    private func line(_ now: String, _ event: LogEvent, _ values: [(key: String, value: JSONLine.Value)]) -> String {
        switch format {
        case .json: Self.json(now, event, values)
        case .text: Self.text(now, event, values)
        }
    }

    static func json(_ now: String, _ event: LogEvent, _ values: [(key: String, value: JSONLine.Value)]) -> String {
        let fields = [("ts", now), ("level", event.level.rawValue), ("msg", "\(event.message)")]
        return JSONLine.text(fields.map { ($0.0, .text($0.1)) } + values) + "\n"
    }

    static func text(_ now: String, _ event: LogEvent, _ values: [(key: String, value: JSONLine.Value)]) -> String {
        let pairs = values.map { " \($0.key)=\($0.value)" }.joined()
        return "\(now) \(event.level.rawValue) \(event.message)\(pairs)".printable + "\n"
    }
}

extension JSONLine.Value {
    /// A number stays one: what counts the lines need not parse texts.
    init(_ value: Logger.MetadataValue) {
        if case .stringConvertible(let value) = value,
            let number = (value as? any BinaryInteger).flatMap({ Int64(exactly: $0) })
        {
            self = .number(number)
        } else {
            self = .text("\(value)")
        }
    }
}

extension Settings {
    func makeLogger() -> Logger {
        let format = logFormat ?? (StandardStream.error.isTerminal ? .text : .json)
        return Logger(label: "cormorant") { _ in LineLogHandler(level: logLevel, format: format) }
    }
}

extension String {
    /// The text with control characters escaped, including those that change the writing direction.
    fileprivate var printable: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
