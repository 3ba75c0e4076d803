/// How the text of a setting is read and written.
struct ValueFormat<Value: Sendable>: Sendable {
    /// What stands for the value in the help: `<size>`.
    let placeholder: String
    let parse: @Sendable (String) throws(InvalidValue) -> Value
    let text: @Sendable (Value) -> String

    /// - Parameters:
    ///   - expectation: Completes "expects …".
    ///   - read: nil for a text that spells no value.
    init(
        _ placeholder: String,
        expects expectation: String,
        read: @escaping @Sendable (String) -> Value?,
        text: @escaping @Sendable (Value) -> String
    ) {
        self.placeholder = placeholder
        self.text = text
        parse = { (written) throws(InvalidValue) in
            guard let value = read(written) else { throw InvalidValue(detail: "expects \(expectation)") }
            return value
        }
    }

    private init(
        placeholder: String,
        parse: @escaping @Sendable (String) throws(InvalidValue) -> Value,
        text: @escaping @Sendable (Value) -> String
    ) {
        self.placeholder = placeholder
        self.parse = parse
        self.text = text
    }

    /// The same with a word for the absence of a value.
    func optional(absent word: String) -> ValueFormat<Value?> {
        ValueFormat<Value?>(
            placeholder: "\(placeholder)|\(word)",
            parse: { (written) throws(InvalidValue) in written == word ? nil : try parse(written) },
            text: { $0.map(text) ?? word }
        )
    }

    /// Several values, separated by commas.
    var list: ValueFormat<[Value]> {
        ValueFormat<[Value]>(
            placeholder: "\(placeholder),…",
            parse: { (written) throws(InvalidValue) in
                var values: [Value] = []
                for part in written.split(separator: ",") { values.append(try parse(part.trimmed)) }
                return values
            },
            text: { $0.map(text).joined(separator: ",") }
        )
    }
}

/// Why a text is no value of a setting. It does not repeat the text, which may be a secret in the wrong place.
struct InvalidValue: Error, Hashable, Sendable {
    let detail: String
}

extension Substring {
    /// Without white space around it.
    var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
