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
    func text(of members: [JSONValue.Member], at pointer: JSONPointer, _ list: inout ViolationList) -> JSONText? {
        if members.count > Self.maximumCount {
            list.add(pointer, .tooMany, "Expected at most \(Self.maximumCount) members.")
            return nil
        }
        for member in members { check(member, at: pointer.appending(member.name), &list) }
        guard !members.isEmpty else { return nil }
        let text = JSONValue.object(members).canonical
        if text.utf8.count > Self.maximumBytes {
            list.add(pointer, .tooLong, "Expected at most \(Self.maximumBytes) bytes of JSON.")
            return nil
        }
        return JSONText(canonical: text)
    }

    func check(_ member: JSONValue.Member, at pointer: JSONPointer, _ list: inout ViolationList) {
        if !(1...Self.maximumNameLength).contains(member.name.unicodeScalars.count) {
            list.add(pointer, .tooLong, "Expected a name of 1 to \(Self.maximumNameLength) characters.")
        }
        guard self == .labels else { return }
        guard case .string(let text) = member.value else {
            list.addWrongType(pointer, expected: "a string", found: member.value)
            return
        }
        if text.unicodeScalars.count > Self.maximumLabelLength {
            list.add(pointer, .tooLong, "Expected a label of at most \(Self.maximumLabelLength) characters.")
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
            var list = ViolationList()
            let text = kind.text(of: result, at: JSONPointer.root.appending(kind.rawValue), &list)
            guard list.violations.isEmpty else { throw Violations(list.violations) }
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
