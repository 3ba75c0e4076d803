import API
import Core

/// Parses and formats the value of a setting.
struct ValueFormat<Value: Sendable>: Sendable {
    /// The placeholder of the value in the help, such as `<size>`.
    let placeholder: String
    /// A description of valid texts, which completes "expects …".
    let expectation: String
    let parse: @Sendable (String) throws(InvalidValue) -> Value
    let text: @Sendable (Value) -> String

    /// - Parameters:
    ///   - expectation: Completes "expects …".
    ///   - read: Parses a text; returns nil if it is invalid.
    init(
        _ placeholder: String,
        expects expectation: String,
        read: @escaping @Sendable (String) -> Value?,
        text: @escaping @Sendable (Value) -> String
    ) {
        self.placeholder = placeholder
        self.expectation = expectation
        self.text = text
        parse = { (written) throws(InvalidValue) in
            guard let value = read(written) else { throw InvalidValue(detail: "expects \(expectation)") }
            return value
        }
    }

    private init(
        placeholder: String,
        expectation: String,
        parse: @escaping @Sendable (String) throws(InvalidValue) -> Value,
        text: @escaping @Sendable (Value) -> String
    ) {
        self.placeholder = placeholder
        self.expectation = expectation
        self.parse = parse
        self.text = text
    }

    /// The same format with a word that means no value.
    func optional(absent word: String) -> ValueFormat<Value?> {
        ValueFormat<Value?>(
            placeholder: "\(placeholder)|\(word)",
            expectation: "\(expectation), or \(word)",
            parse: { (written) throws(InvalidValue) in
                if written == word { return nil }
                do throws(InvalidValue) {
                    return try parse(written)
                } catch {
                    throw InvalidValue(detail: "\(error.detail), or \(word)")
                }
            },
            text: { $0.map(text) ?? word }
        )
    }

    /// The same format without the values to which a rule applies.
    func refusing(_ detail: String, where isRefused: @escaping @Sendable (Value) -> Bool) -> Self {
        Self(
            placeholder: placeholder,
            expectation: expectation,
            parse: { (written) throws(InvalidValue) in
                let value = try parse(written)
                if isRefused(value) { throw InvalidValue(detail: detail) }
                return value
            },
            text: text
        )
    }

    /// A list of values, separated by commas.
    var list: ValueFormat<[Value]> {
        ValueFormat<[Value]>(
            placeholder: "\(placeholder),…",
            expectation: "a list: each item is \(expectation)",
            parse: { (written) throws(InvalidValue) in
                var values: [Value] = []
                for part in written.split(separator: ",") { values.append(try parse(part.trimmed)) }
                return values
            },
            text: { $0.map(text).joined(separator: ",") }
        )
    }
}

/// The reason why a text is not a valid value. It does not contain the text, which may be a misplaced secret.
public struct InvalidValue: Error, Hashable, Sendable {
    public let detail: String
}

extension Substring {
    /// The text without leading and trailing white space.
    public var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}

extension ValueFormat where Value == RateSchedule {
    /// Windows of a weekly schedule as JSON, as in the settings file.
    static var rateSchedule: Self {
        Self(
            "json",
            expects: """
                windows such as [{"days": ["mon"], "from": "08:00", "to": "18:00", "rate_limit": "2MiB"}]; \
                "none" lifts the limit, "paused": true stops all
                """,
            read: { (try? JSONValue(parsing: Array($0.utf8))).flatMap(RateSchedule.init(json:)) },
            text: \.json.canonical
        )
    }
}

extension RateSchedule {
    fileprivate init?(json: JSONValue) {
        guard case .array(let values) = json else { return nil }
        let windows = values.compactMap(RateWindow.init(json:))
        guard windows.count == values.count, !windows.isEmpty else { return nil }
        self.init(windows: windows)
    }

    fileprivate var json: JSONValue { .array(windows.map(\.json)) }
}

extension RateWindow {
    fileprivate init?(json: JSONValue) {
        guard case .object(let members) = json, members.count == 4 else { return nil }
        let values = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
        guard let days = Self.days(values["days"]), case .string(let from) = values["from"],
            case .string(let to) = values["to"], let from = TimeOfDay(from), let to = TimeOfDay(to),
            from.minutes < 1440,
            let limit = values["paused"] == .bool(true) ? .paused : Self.limit(values["rate_limit"])
        else { return nil }
        self.init(days: days, from: from, to: to, limit: limit)
    }

    private static func days(_ json: JSONValue?) -> Set<Weekday>? {
        guard case .array(let values) = json, !values.isEmpty else { return nil }
        let days = values.compactMap { value -> Weekday? in
            guard case .string(let text) = value else { return nil }
            return Weekday(rawValue: text)
        }
        return days.count == values.count ? Set(days) : nil
    }

    private static func limit(_ json: JSONValue?) -> RateLimit? {
        switch json {
        case .string("none"): .unlimited
        case .string(let text): try? .bytesPerSecond(ValueFormat<Int64>.rate.parse(text))
        case .number: json?.integer.flatMap { $0 >= 1 << 10 ? .bytesPerSecond($0) : nil }
        case .null, .bool, .array, .object, nil: nil
        }
    }

    fileprivate var json: JSONValue {
        let names = Weekday.allCases.filter(days.contains).map { JSONValue.string($0.rawValue) }
        let rate = limit.bytesPerSecond.map(ByteSize.text) ?? "none"
        let last: JSONValue.Member =
            limit == .paused ? .init("paused", .bool(true)) : .init("rate_limit", .string(rate))
        return .object([
            .init("days", .array(names)), .init("from", .string(from.description)),
            .init("to", .string(to.description)), last,
        ])
    }
}
