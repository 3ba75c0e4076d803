/// Members of the plain types, with their limits.
extension ObjectReader {
    mutating func string(_ name: String, _ list: inout ViolationList) -> String? {
        guard let value = present(name) else { return nil }
        guard case .string(let text) = value else {
            list.addWrongType(pointer.appending(name), expected: "a string", found: value)
            return nil
        }
        return text
    }

    mutating func bool(_ name: String, _ list: inout ViolationList) -> Bool? {
        guard let value = present(name) else { return nil }
        guard case .bool(let flag) = value else {
            list.addWrongType(pointer.appending(name), expected: "a boolean", found: value)
            return nil
        }
        return flag
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int64>, _ list: inout ViolationList) -> Int64? {
        guard let value = present(name) else { return nil }
        guard case .number = value else {
            list.addWrongType(pointer.appending(name), expected: "a whole number", found: value)
            return nil
        }
        guard let number = value.integer, range.contains(number) else {
            let limits = "from \(range.lowerBound) to \(range.upperBound)"
            list.add(pointer.appending(name), .outOfRange, "Expected a whole number \(limits).")
            return nil
        }
        return number
    }

    /// One of the words of an enumeration.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        _ list: inout ViolationList
    ) -> Word? {
        guard let text = string(name, &list) else { return nil }
        if let word = Word(rawValue: text) { return word }
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        list.add(pointer.appending(name), .unknownWord, "Expected one of: \(words).")
        return nil
    }

    /// The items of an array, each with its place. Nil when it has more than `limit`, too.
    ///
    /// - Parameter noun: What the items are, in the plural.
    mutating func array(
        _ name: String,
        atMost limit: Int = .max,
        _ noun: String,
        _ list: inout ViolationList
    ) -> [(value: JSONValue, pointer: JSONPointer)]? {
        guard let value = present(name) else { return nil }
        let pointer = pointer.appending(name)
        guard case .array(let items) = value else {
            list.addWrongType(pointer, expected: "an array", found: value)
            return nil
        }
        guard items.count <= limit else {
            list.add(pointer, .tooMany, "At most \(limit) \(noun).")
            return nil
        }
        return items.enumerated().map { ($1, pointer.appending("\($0)")) }
    }

    /// A nested object.
    mutating func object(_ name: String, _ list: inout ViolationList) -> ObjectReader? {
        guard let value = present(name) else { return nil }
        return ObjectReader(value, at: pointer.appending(name), &list)
    }
}
