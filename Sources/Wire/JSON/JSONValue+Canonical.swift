extension JSONValue {
    /// The value without white space, members in the order of their names' bytes, and numbers as they were written.
    public var canonical: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes the value in canonical form. Recursion is as deep as the value, which the parser limits.
    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.raw("null")
        case .bool(let value): writer.raw(value ? "true" : "false")
        case .number(let text): writer.raw(text)
        case .string(let text): writer.string(text)
        case .array(let values):
            writer.raw("[")
            for (index, value) in values.enumerated() {
                if index > 0 { writer.raw(",") }
                value.write(to: &writer)
            }
            writer.raw("]")
        case .object(let members):
            writer.raw("{")
            // Bytes decide: `String`'s own order would call canonically equivalent names equal.
            let sorted = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { writer.raw(",") }
                writer.string(member.name)
                writer.raw(":")
                member.value.write(to: &writer)
            }
            writer.raw("}")
        }
    }
}
