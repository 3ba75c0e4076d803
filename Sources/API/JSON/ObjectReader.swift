public import Core

/// Reads the members of one object in a request.
///
/// Each read returns nil if the member is absent or invalid. Violations go to the list, and the whole body is refused
/// for them. ``finish(_:)`` refuses members that were never read.
struct ObjectReader {
    let pointer: JSONPointer
    private let members: [JSONValue.Member]
    /// Which members were read.
    private var isKnown: [Bool]
    /// The positions of many members by their names. A linear search is cheaper for the few that a valid body has.
    private let positions: [String: Int]?
    private static let mostSearched = 100
    /// The known names, for a hint at a misspelled one.
    private var names: [String] = []

    /// Returns nil and records a violation if `value` is not an object.
    init?(_ value: JSONValue, at pointer: JSONPointer, _ list: inout ViolationList) {
        guard case .object(let all) = value else {
            list.addWrongType(pointer, expected: "an object", found: value)
            return nil
        }
        self.pointer = pointer
        members = all
        isKnown = Array(repeating: false, count: all.count)
        positions =
            all.count <= Self.mostSearched
            ? nil : Dictionary(all.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var isEmpty: Bool { members.isEmpty }

    /// The member's unconverted value; nil if absent.
    mutating func value(_ name: String) -> JSONValue? {
        names.append(name)
        let found = positions.map { $0[name] } ?? members.firstIndex { $0.name == name }
        guard let index = found else { return nil }
        isKnown[index] = true
        return members[index].value
    }

    /// The member's value; nil if absent or null, which are equivalent unless a member can be cleared.
    mutating func present(_ name: String) -> JSONValue? {
        guard let value = value(name), value != .null else { return nil }
        return value
    }

    /// Records a violation if a required member is absent or null.
    mutating func require(_ name: String, _ list: inout ViolationList) {
        if present(name) == nil { list.add(pointer.appending(name), .required, "\"\(name)\" is required.") }
    }

    /// Records a violation for each unknown member.
    func finish(_ list: inout ViolationList) {
        for (member, isKnown) in zip(members, isKnown) where !isKnown {
            // A hint costs a comparison with each known name.
            guard !list.isFull else { return }
            let hint = RenamedName.hint(for: member.name, among: names)
            list.add(pointer.appending(member.name), .unknownMember, "Unknown member.\(hint)")
        }
    }
}

/// The object that is the whole body.
extension ObjectReader {
    init(body bytes: [UInt8]) throws(BodyError) {
        try self.init(body: JSONValue(body: bytes))
    }

    /// - Parameter pointer: The position of the object in the request body.
    init(body value: JSONValue, at pointer: JSONPointer = .root) throws(BodyError) {
        var list = ViolationList()
        guard let reader = ObjectReader(value, at: pointer, &list) else { throw .violations(list.violations) }
        self = reader
    }

    /// Finishes reading.
    ///
    /// - Throws: All violations, including those for unknown members.
    func close(_ list: inout ViolationList) throws(BodyError) {
        finish(&list)
        try list.throwIfAny()
    }
}

extension JSONValue {
    /// - Throws: ``BodyError/json(_:)`` if the body is not JSON.
    init(body bytes: [UInt8]) throws(BodyError) {
        do throws(JSONParseError) { self = try JSONValue(parsing: bytes) } catch { throw .json(error) }
    }
}

/// Members of basic types, with their limits.
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

    /// A raw value of an enumeration.
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

    /// The items of an array, each with its pointer; nil if there are more than `limit`.
    ///
    /// - Parameter noun: The plural noun for the items in an error message.
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
            list.add(pointer, .tooMany, "Expected at most \(limit) \(noun).")
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

/// The reason why a body is invalid: not JSON, or JSON with violations.
public enum BodyError: Error, Hashable, Sendable {
    case json(JSONParseError)
    /// All violations that were found, at least one.
    case violations([Violation])
}

/// Collects the violations in a body, so that the client gets all of them at once.
struct ViolationList {
    private(set) var violations: [Violation] = []

    /// The maximum number of violations in one response. A hostile body could have hundreds of thousands.
    static let limit = 20

    /// Whether further violations are left out.
    var isFull: Bool { violations.count >= Self.limit }

    mutating func add(_ pointer: JSONPointer, _ code: Violation.Code, _ detail: String) {
        guard !isFull else { return }
        violations.append(Violation(pointer, code, detail))
    }

    mutating func addWrongType(_ pointer: JSONPointer, expected: String, found: JSONValue) {
        add(pointer, .wrongType, "Expected \(expected), found \(found.kind).")
    }

    func throwIfAny() throws(BodyError) {
        if !violations.isEmpty { throw .violations(violations) }
    }
}
