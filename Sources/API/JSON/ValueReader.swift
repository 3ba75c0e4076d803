import Core

/// Reads a value of a request. It knows the place of the value in the body, and records violations.
///
/// Each read returns nil if the value is invalid. The whole body is refused then.
struct ValueReader {
    let value: JSONValue
    let pointer: JSONPointer
    let violations: ViolationList

    /// Records a violation. The reading continues.
    func refuse(_ code: Violation.Code, _ detail: String) {
        violations.add(Violation(pointer, code, detail))
    }

    func refuseType(expected: String) {
        refuse(.wrongType, "Expected \(expected), found \(value.kind).")
    }

    func string() -> String? {
        if case .string(let text) = value { return text }
        refuseType(expected: "a string")
        return nil
    }

    func bool() -> Bool? {
        if case .bool(let flag) = value { return flag }
        refuseType(expected: "a boolean")
        return nil
    }

    func integer(in range: ClosedRange<Int64>) -> Int64? {
        guard case .number = value else {
            refuseType(expected: "a whole number")
            return nil
        }
        if let number = value.integer, range.contains(number) { return number }
        refuse(.outOfRange, "Expected a whole number from \(range.lowerBound) to \(range.upperBound).")
        return nil
    }

    /// A case of an enumeration, by its raw value.
    func word<Word: RawRepresentable<String> & CaseIterable>() -> Word? {
        guard let text = string() else { return nil }
        if let word = Word(rawValue: text) { return word }
        refuse(.unknownWord, "Expected one of: \(Word.allCases.map(\.rawValue).joined(separator: ", ")).")
        return nil
    }

    /// A text that a type of the domain parses.
    ///
    /// - Parameter expected: What the text must be, for the violation.
    func parsed<Value>(_ parse: (String) -> Value?, expected: String) -> Value? {
        guard let text = string() else { return nil }
        if let value = parse(text) { return value }
        refuse(.malformed, "Expected \(expected).")
        return nil
    }

    /// A text that a type of the domain parses, with its own explanation of a fault.
    func parsed<Value, Fault: ExplainedFault>(_ parse: (String) throws(Fault) -> Value) -> Value? {
        guard let text = string() else { return nil }
        do throws(Fault) {
            return try parse(text)
        } catch {
            refuse(error.code, error.explanation)
            return nil
        }
    }

    /// The members of an object, in their order.
    func members() -> [JSONValue.Member]? {
        if case .object(let members) = value { return members }
        refuseType(expected: "an object")
        return nil
    }

    /// Reads an object. Members that `read` does not ask for are violations.
    func object<Value>(_ read: (inout ObjectReader) -> Value) -> Value? {
        guard let members = members() else { return nil }
        var reader = ObjectReader(members, at: pointer, violations)
        defer { reader.finish() }
        return read(&reader)
    }

    /// The items of an array; nil if there are more than `limit`.
    ///
    /// - Parameter noun: The plural noun for the items in an error message.
    func items(atMost limit: Int = .max, _ noun: String) -> [ValueReader]? {
        guard case .array(let items) = value else {
            refuseType(expected: "an array")
            return nil
        }
        guard items.count <= limit else {
            refuse(.tooMany, "Expected at most \(limit) \(noun).")
            return nil
        }
        return items.enumerated().map { index, item in
            ValueReader(value: item, pointer: pointer.appending("\(index)"), violations: violations)
        }
    }

    /// The reader of a member of this value.
    func member(_ member: JSONValue.Member) -> ValueReader {
        ValueReader(value: member.value, pointer: pointer.appending(member.name), violations: violations)
    }
}

/// An error of a parser that has a code, and explains what was expected.
protocol ExplainedFault: Error {
    var code: Violation.Code { get }
    /// For people. It does not contain the text.
    var explanation: String { get }
}

extension InvalidTemplate: ExplainedFault {}

extension InvalidName: ExplainedFault {
    var code: Violation.Code { self == .tooLong ? .tooLong : .malformed }
}
