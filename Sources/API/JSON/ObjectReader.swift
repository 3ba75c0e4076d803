import Core

/// Reads the members of one object in a request.
///
/// Each read returns nil if the member is absent or invalid. Violations go to the list of the body, and the whole body
/// is refused for them. ``finish()`` refuses members that were never read.
struct ObjectReader {
    let pointer: JSONPointer
    private let violations: ViolationList
    private let members: [JSONValue.Member]
    /// Which members were read.
    private var wasRead: [Bool]
    /// The positions of the members by their names; nil for few members, where a linear search is cheaper.
    private let positions: [String: Int]?
    private static let mostSearched = 100
    /// The names that were asked for, for a hint at a misspelled one.
    private var requestedNames: [String] = []

    init(_ members: [JSONValue.Member], at pointer: JSONPointer, _ violations: ViolationList) {
        self.pointer = pointer
        self.members = members
        self.violations = violations
        wasRead = Array(repeating: false, count: members.count)
        positions =
            members.count <= Self.mostSearched
            ? nil : Dictionary(members.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var isEmpty: Bool { members.isEmpty }

    /// The reader of a member, which may be null; nil if absent.
    mutating func member(_ name: String) -> ValueReader? {
        requestedNames.append(name)
        let found = positions.map { $0[name] } ?? members.firstIndex { $0.name == name }
        guard let index = found else { return nil }
        wasRead[index] = true
        return ValueReader(
            value: members[index].value,
            pointer: pointer.appending(name),
            violations: violations
        )
    }

    /// The reader of a member; nil if absent or null, which are equivalent unless a member can be cleared.
    mutating func present(_ name: String) -> ValueReader? {
        guard let member = member(name), member.value != .null else { return nil }
        return member
    }

    mutating func isNull(_ name: String) -> Bool { member(name)?.value == .null }

    /// Records a violation of a member, which may be absent.
    func refuse(_ name: String, _ code: Violation.Code, _ detail: String) {
        violations.add(Violation(pointer.appending(name), code, detail))
    }

    /// Records a violation of the object.
    func refuse(_ code: Violation.Code, _ detail: String) {
        violations.add(Violation(pointer, code, detail))
    }

    /// Records a violation if a required member is absent or null.
    mutating func require(_ name: String) {
        if present(name) == nil { refuse(name, .required, "\"\(name)\" is required.") }
    }

    /// Records a violation for each unknown member.
    func finish() {
        for (member, wasRead) in zip(members, wasRead) where !wasRead {
            // A hint costs a comparison with each name.
            guard !violations.isFull else { return }
            let hint = Spelling.hint(for: member.name, among: requestedNames)
            refuse(member.name, .unknownMember, "Unknown member.\(hint)")
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
        let reader = ValueReader(value: value, pointer: pointer, violations: ViolationList())
        guard let members = reader.members() else { throw .violations(reader.violations.violations) }
        self.init(members, at: pointer, reader.violations)
    }

    /// Finishes reading.
    ///
    /// - Throws: All violations, including those for unknown members.
    func close() throws(BodyError) {
        finish()
        try violations.throwIfAny()
    }
}

/// Members of basic types.
extension ObjectReader {
    mutating func string(_ name: String) -> String? { present(name)?.string() }

    mutating func bool(_ name: String) -> Bool? { present(name)?.bool() }

    mutating func integer(_ name: String, in range: ClosedRange<Int64>) -> Int64? { present(name)?.integer(in: range) }

    /// A case of an enumeration, by its raw value.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String) -> Word? {
        present(name)?.word()
    }

    /// The items of an array, each with its pointer; nil if there are more than `limit`.
    mutating func items(_ name: String, atMost limit: Int = .max, _ noun: String) -> [ValueReader]? {
        present(name)?.items(atMost: limit, noun)
    }

    /// Reads a nested object.
    mutating func object<Value>(_ name: String, _ read: (inout ObjectReader) -> Value) -> Value? {
        present(name)?.object(read)
    }

    /// A member with the format of a table.
    mutating func read<Value>(_ name: String, _ format: JSONFormat<Value>) -> Value? {
        present(name).flatMap(format.read)
    }
}
