public import Model

/// What a patch does to `labels` or `metadata` (RFC 7396). It needs the object as it is, so whoever applies it reads
/// the download first and writes with the revision that it read.
public struct ClientObjectPatch: Hashable, Sendable {
    public let kind: ClientObject
    /// Nil clears the whole object.
    private let members: [JSONValue.Member]?

    init(_ kind: ClientObject, members: [JSONValue.Member]?) {
        self.kind = kind
        self.members = members
    }

    /// The object after the patch, ready for ``DownloadEdit``.
    ///
    /// - Throws: When it would outgrow its limits.
    public func applied(to current: JSONText?) throws(BodyFault) -> DownloadEdit.Change<JSONText> {
        guard let members else { return .clear }
        var merged = JSONValue.object([])
        if let current, let parsed = try? JSONValue(parsing: Array(current.text.utf8)) { merged = parsed }
        merged = merged.merging(.object(members))
        guard case .object(let result) = merged else { return .clear }
        var list = ViolationList()
        let text = kind.text(of: result, at: JSONPointer.root.appending(kind.rawValue), &list)
        try list.throwIfAny()
        return text.map { .set($0) } ?? .clear
    }
}

extension JSONValue {
    /// `MergePatch` of RFC 7396, section 2. Recursion is as deep as the patch, which the parser limits.
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
