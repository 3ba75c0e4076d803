import Core

/// Members of a patch. Null clears a member; it does not mean that the member is absent.
extension ObjectReader {
    /// Records a violation for each of `names` that is null, because these members cannot be cleared.
    mutating func refuseNull(_ names: String...) {
        for name in names where isNull(name) { refuse(name, .wrongType, "\"\(name)\" cannot be cleared.") }
    }

    /// Records a violation if a patch is empty.
    func requireChange() {
        if isEmpty { refuse(.required, "Expected an action or at least one member to change.") }
    }

    /// The expected revision; null is not allowed.
    ///
    /// - Parameter lowest: The first revision of the resource.
    mutating func expectedRevision(from lowest: Int64) -> Int64? {
        refuseNull("expected_revision")
        return integer("expected_revision", in: lowest...JSONValue.maximumInteger)
    }

    /// The change that a patch makes to a member: null clears it, an absent member keeps its value.
    ///
    /// - Parameter read: Reads the member if it is not null, and records its violations.
    mutating func change<Value>(
        _ name: String,
        _ read: (inout ObjectReader) -> Value?
    ) -> DownloadEdit.Change<Value>? {
        isNull(name) ? .clear : read(&self).map { .set($0) }
    }

    /// The same for a member with a format.
    mutating func change<Value>(_ name: String, _ format: JSONFormat<Value>) -> DownloadEdit.Change<Value>? {
        change(name) { $0.read(name, format) }
    }

    mutating func headerPatch() -> HeaderPatch? {
        guard let value = member("request_headers") else { return nil }
        if value.value == .null { return .clear }
        let fields = RequestHeaderRules.read(value, allowsNull: true)
        return fields.map { fields in .merge(fields.map { HeaderPatch.Change(name: $0.name, value: $0.value) }) }
    }

    mutating func objectPatch(_ kind: ClientObject) -> ObjectPatch? {
        guard let value = member(kind.rawValue) else { return nil }
        if value.value == .null { return ObjectPatch { _ in .clear } }
        guard let members = value.members() else { return nil }
        if members.count > ClientObject.maximumCount {
            value.refuse(.tooMany, "Expected at most \(ClientObject.maximumCount) members.")
        }
        for member in members where member.value != .null { kind.check(member.name, value.member(member)) }
        // Checked before the merge, which takes quadratic time for a large nested object.
        if value.value.canonical.utf8.count > ClientObject.maximumBytes {
            value.refuse(.tooLong, "Expected at most \(ClientObject.maximumBytes) bytes of JSON.")
        }
        return ObjectPatch(kind, members)
    }
}
