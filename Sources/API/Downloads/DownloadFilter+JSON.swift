import Core

extension DownloadFilter {
    /// Parses a filter from an object. Its members have the names of the query parameters; lists are arrays.
    init(_ reader: inout ObjectReader) {
        self.init()
        // Null is refused: a condition that a client lost must not select all downloads.
        for condition in Condition.allCases { reader.refuseNull(condition.rawValue) }
        for condition in Condition.allCases {
            if condition.isList {
                read(condition, from: condition.rawValue, of: &reader)
            } else if let value = reader.present(condition.rawValue) {
                add(value, to: condition)
            }
        }
    }

    /// Parses the values of a list from an array.
    mutating func read(_ condition: Condition, from name: String, of reader: inout ObjectReader) {
        guard let items = reader.items(name, atMost: condition.maximum, "values") else { return }
        if items.isEmpty { reader.refuse(name, .outOfRange, "Expected at least one value.") }
        for item in items { add(item, to: condition) }
    }

    private mutating func add(_ value: ValueReader, to condition: Condition) {
        _ = value.parsed { (text) throws(InvalidCondition) in try add(text, to: condition) }
    }

    /// Writes the conditions that are set.
    func writeMembers(to writer: inout JSONWriter) {
        func write<Value>(_ condition: Condition, _ values: [Value], _ element: (inout JSONWriter, Value) -> Void) {
            guard !values.isEmpty else { return }
            writer.name(condition.rawValue)
            writer.array(values, element)
        }
        func write(_ condition: Condition, _ text: String?) {
            if let text { writer.member(condition.rawValue, text) }
        }
        write(.state, states) { $0.string($1.rawValue) }
        write(.session, session?.text)
        // The parts of a label have the form of JSON already.
        write(.label, labels) { $0.raw("\"\($1.name):\($1.value)\"") }
        write(.host, host.map { host in port.map { "\(host):\($0)" } ?? host })
        write(.errorCode, errorCode?.rawValue)
        write(.createdAfter, created.after.map(Instant.text))
        write(.createdBefore, created.before.map(Instant.text))
        write(.finishedAfter, finished.after.map(Instant.text))
        write(.finishedBefore, finished.before.map(Instant.text))
        write(.text, text)
        write(.id, ids) { $0.string($1.text) }
    }

    /// The text of equal filters: it does not depend on the order of the values.
    var canonicalText: String {
        var sorted = self
        sorted.states.sort { $0.rawValue < $1.rawValue }
        sorted.labels.sort { ($0.name, $0.value) < ($1.name, $1.value) }
        sorted.ids.sort { $0.text < $1.text }
        var writer = JSONWriter()
        writer.object { sorted.writeMembers(to: &$0) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
