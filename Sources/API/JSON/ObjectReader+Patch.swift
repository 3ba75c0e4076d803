import Core
import Service

/// Members of a patch. Null clears a member; it does not mean that the member is absent.
extension ObjectReader {
    /// Records a violation for each of `names` that is null, because these members cannot be cleared.
    mutating func refuseNull(_ names: [String], _ list: inout ViolationList) {
        for name in names where value(name) == .null {
            list.add(pointer.appending(name), .wrongType, "\"\(name)\" cannot be cleared.")
        }
    }

    /// Records a violation if a patch is empty.
    func requireChange(_ list: inout ViolationList) {
        if isEmpty { list.add(pointer, .required, "Expected an action or at least one member to change.") }
    }

    /// The expected revision; null is not allowed.
    ///
    /// - Parameter lowest: The first revision of the resource.
    mutating func expectedRevision(from lowest: Int64, _ list: inout ViolationList) -> Int64? {
        refuseNull(["expected_revision"], &list)
        return integer("expected_revision", in: lowest...JSONValue.maximumInteger, &list)
    }

    /// The change that a patch makes to a member: null clears it, an absent member keeps its value.
    ///
    /// - Parameter read: Reads the member if it is not null, and records its violations.
    mutating func change<Value>(
        _ name: String,
        _ read: (inout ObjectReader) -> Value?
    ) -> DownloadEdit.Change<Value>? {
        value(name) == .null ? .clear : read(&self).map { .set($0) }
    }

    mutating func maxAttemptsChange(_ list: inout ViolationList) -> DownloadEdit.Change<Int>? {
        change("max_attempts") { $0.maxAttempts(&list) }
    }

    mutating func refreshURLChange(_ list: inout ViolationList) -> DownloadEdit.Change<DownloadURL>? {
        change("refresh_url") { $0.url("refresh_url", of: .refreshURL, &list) }
    }

    mutating func notBeforeChange(_ list: inout ViolationList) -> DownloadEdit.Change<Timestamp>? {
        change("not_before_at") { $0.instant("not_before_at", &list) }
    }

    mutating func headerPatch(_ list: inout ViolationList) -> HeaderPatch? {
        guard let value = value("request_headers") else { return nil }
        if value == .null { return .clear }
        let fields = RequestHeaderRules.read(
            value,
            allowsNull: true,
            at: pointer.appending("request_headers"),
            &list
        )
        return fields.map { fields in .merge(fields.map { HeaderPatch.Change(name: $0.name, value: $0.value) }) }
    }

    mutating func objectPatch(_ kind: ClientObject, _ list: inout ViolationList) -> ObjectPatch? {
        guard let value = value(kind.rawValue) else { return nil }
        if value == .null { return ObjectPatch { _ in .clear } }
        let pointer = pointer.appending(kind.rawValue)
        guard case .object(let members) = value else {
            list.addWrongType(pointer, expected: "an object", found: value)
            return nil
        }
        if members.count > ClientObject.maximumCount {
            list.add(pointer, .tooMany, "Expected at most \(ClientObject.maximumCount) members.")
        }
        for member in members where member.value != .null {
            kind.check(member, at: pointer.appending(member.name), &list)
        }
        // Checked before the merge, which takes quadratic time for a large nested object.
        if value.canonical.utf8.count > ClientObject.maximumBytes {
            list.add(pointer, .tooLong, "Expected at most \(ClientObject.maximumBytes) bytes of JSON.")
        }
        return ObjectPatch(kind, members)
    }
}
