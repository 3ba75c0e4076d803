import Core

/// The client-defined objects of a download, and their limits.
public enum ClientObject: String, CaseIterable, Sendable {
    /// Short names with text values, for filters.
    case labels
    /// Any JSON object. The service stores it and does not interpret it.
    case metadata

    static let maximumCount = 50
    static let maximumBytes = 16_384
    static let maximumNameLength = 128
    static let maximumLabelLength = 256

    /// Validates a whole object and returns its canonical text; nil if it is empty or invalid.
    ///
    /// - Parameter reader: The reader of the object.
    func text(of members: [JSONValue.Member], _ reader: ValueReader) -> JSONText? {
        if members.count > Self.maximumCount {
            reader.refuse(.tooMany, "Expected at most \(Self.maximumCount) members.")
            return nil
        }
        for member in members { check(member.name, reader.member(member)) }
        guard !members.isEmpty else { return nil }
        let text = JSONValue.object(members).canonical
        if text.utf8.count > Self.maximumBytes {
            reader.refuse(.tooLong, "Expected at most \(Self.maximumBytes) bytes of JSON.")
            return nil
        }
        return JSONText(canonical: text)
    }

    /// Validates a member.
    func check(_ name: String, _ value: ValueReader) {
        if !(1...Self.maximumNameLength).contains(name.unicodeScalars.count) {
            value.refuse(.tooLong, "Expected a name of 1 to \(Self.maximumNameLength) characters.")
        }
        guard self == .labels, let text = value.string() else { return }
        if text.unicodeScalars.count > Self.maximumLabelLength {
            value.refuse(.tooLong, "Expected a label of at most \(Self.maximumLabelLength) characters.")
        }
    }
}

extension ObjectPatch {
    /// Merges members (RFC 7396).
    init(_ kind: ClientObject, _ members: [JSONValue.Member]) {
        self.init { (current) throws(Violations) in
            var merged = JSONValue.object([])
            if let current, let parsed = try? JSONValue(parsing: Array(current.text.utf8)) { merged = parsed }
            merged = merged.merging(.object(members))
            guard case .object(let result) = merged else { return .clear }
            let reader = ValueReader(
                value: merged,
                pointer: JSONPointer.root.appending(kind.rawValue),
                violations: ViolationList()
            )
            let text = kind.text(of: result, reader)
            guard reader.violations.violations.isEmpty else { throw Violations(reader.violations.violations) }
            return text.map { .set($0) } ?? .clear
        }
    }
}

extension JSONValue {
    /// `MergePatch` of RFC 7396, section 2. The recursion is as deep as the patch, which the parser limits.
    func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [Member] = []
        if case .object(let own) = self { members = own }
        for change in changes {
            let index = members.firstIndex { $0.name.utf8.elementsEqual(change.name.utf8) }
            let old = index.map { members[$0].value } ?? .null
            switch (index, change.value) {
            case (let index?, .null): members.remove(at: index)
            case (nil, .null): break
            case (let index?, let value): members[index] = Member(change.name, old.merging(value))
            case (nil, let value): members.append(Member(change.name, old.merging(value)))
            }
        }
        return .object(members)
    }
}
