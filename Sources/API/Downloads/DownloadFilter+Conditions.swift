import Core

extension DownloadFilter {
    /// The conditions, by their names in query parameters and in JSON.
    enum Condition: String, CaseIterable {
        case state, session, label, host
        case errorCode = "error_code"
        case createdAfter = "created_after"
        case createdBefore = "created_before"
        case finishedAfter = "finished_after"
        case finishedBefore = "finished_before"
        case text = "q"
        case id

        /// How many values it can have.
        var maximum: Int {
            switch self {
            case .state: DownloadState.allCases.count
            case .label: 8
            case .id: 100
            case .session, .host, .errorCode, .createdAfter, .createdBefore, .finishedAfter, .finishedBefore, .text: 1
            }
        }

        var isList: Bool { maximum > 1 }
    }

    /// Why a value of a condition is refused. The explanation does not contain the value.
    struct InvalidCondition: ExplainedFault {
        let code: Violation.Code
        let explanation: String

        init(_ explanation: String, _ code: Violation.Code = .malformed) {
            self.code = code
            self.explanation = explanation
        }
    }

    private static let maximumTextLength = 256

    /// Parses a value of a condition. A list of values has one call for each.
    mutating func add(_ value: String, to condition: Condition) throws(InvalidCondition) {
        switch condition {
        case .state: states = try Self.adding(Self.word(value), to: states, condition)
        case .session:
            guard let name = SessionName(value) else { throw InvalidCondition("Expected the name of a session.") }
            session = name
        case .label: labels = try Self.adding(Self.label(value), to: labels, condition)
        case .host: (host, port) = try Self.authority(value)
        case .errorCode: errorCode = try Self.word(value)
        case .createdAfter: created.after = try Self.instant(value)
        case .createdBefore: created.before = try Self.instant(value)
        case .finishedAfter: finished.after = try Self.instant(value)
        case .finishedBefore: finished.before = try Self.instant(value)
        case .text: text = try Self.searched(value)
        case .id:
            guard let id = DownloadID(value) else { throw InvalidCondition("Expected the id of a download.") }
            ids = try Self.adding(id, to: ids, condition)
        }
    }

    private static func adding<Value: Equatable>(
        _ value: Value,
        to values: [Value],
        _ condition: Condition
    ) throws(InvalidCondition) -> [Value] {
        guard values.count < condition.maximum else {
            throw InvalidCondition("Expected at most \(condition.maximum) values.", .tooMany)
        }
        guard !values.contains(value) else { throw InvalidCondition("A value occurs twice.") }
        return values + [value]
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ text: String
    ) throws(InvalidCondition) -> Word {
        if let word = Word(rawValue: text) { return word }
        let words = Word.allCases.map(\.rawValue)
        let hint = Spelling.hint(for: text, among: words)
        throw InvalidCondition("Expected one of: \(words.joined(separator: ", ")).\(hint)", .unknownWord)
    }

    private static func label(_ text: String) throws(InvalidCondition) -> Label {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw InvalidCondition("Expected a name, a colon and a value, such as 'env:prod'.")
        }
        return Label(name: canonical(parts[0]), value: canonical(parts[1]))
    }

    /// The form of canonical JSON, without the quotation marks.
    private static func canonical(_ text: Substring) -> String {
        String(JSONValue.string(String(text)).canonical.dropFirst().dropLast())
    }

    /// A host, with or without a port: `example.com`, `example.com:8443`, `[2001:db8::1]:443`.
    private static func authority(_ text: String) throws(InvalidCondition) -> (host: String, port: UInt16?) {
        var (host, port): (String, UInt16?) = (text, nil)
        let bracket = text.lastIndex(of: "]") ?? text.startIndex
        if let colon = text[bracket...].firstIndex(of: ":") {
            host = String(text[..<colon])
            port = UInt16(text[text.index(after: colon)...])
            guard let port, port > 0 else { throw InvalidCondition("Expected a port from 1 to 65535.") }
        }
        guard !host.isEmpty, !host.contains(where: { "/@?# ".contains($0) }) else {
            throw InvalidCondition("Expected a host, such as 'example.com' or 'example.com:8443'.")
        }
        return (host.lowercased(), port)
    }

    private static func instant(_ text: String) throws(InvalidCondition) -> Timestamp {
        if let time = Instant.parse(text) { return time }
        throw InvalidCondition("Expected an instant such as 2026-01-09T03:04:05.000Z.")
    }

    private static func searched(_ text: String) throws(InvalidCondition) -> String {
        guard (1...maximumTextLength).contains(text.unicodeScalars.count) else {
            throw InvalidCondition("Expected 1 to \(maximumTextLength) characters.")
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw InvalidCondition("Expected no control characters.")
        }
        return text.lowercased()
    }
}
