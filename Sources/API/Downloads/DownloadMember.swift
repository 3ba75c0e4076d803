import Core

/// A member of a download that `POST` and `PATCH` read in the same way.
struct DownloadMember: Sendable {
    typealias Path<Value> = any WritableKeyPath<DownloadRequest, Value> & Sendable

    let name: String
    let content: Content
    /// Whether a patch may have it.
    let isChangeable: Bool
    private let read: @Sendable (ValueReader, inout DownloadRequest) -> Void
    /// Applies a value or null. The text is the name in the refusal of a locked member.
    private let change: @Sendable (ValueReader, String, inout DownloadEdit) -> Void

    enum Content: Sendable {
        case value(JSONSchema)
        case object([DownloadMember])
    }

    /// How a patch changes a member.
    enum Patch<New>: Sendable {
        /// A patch has no such member.
        case none
        /// The member changes, but not in the states of the lock.
        case unless(MemberLock)
        /// The edit has a property for the member, because other code reads or replaces the new value.
        case edits(any WritableKeyPath<DownloadEdit, New?> & Sendable)
    }

    /// A member that may be absent. Null clears it.
    init<Value: Hashable & Sendable>(
        _ name: String,
        _ path: Path<Value?>,
        _ format: JSONFormat<Value>,
        _ patch: Patch<DownloadEdit.Change<Value>> = .none
    ) {
        self.init(name, format.schema, patch) { reader, request in
            request[keyPath: path] = format.read(reader)
        } change: { reader in
            reader.value == .null ? .clear : format.read(reader).map { .set($0) }
        } assignment: { new, member, lock in
            MemberChange(path, to: new.value, of: member, lock: lock)
        }
    }

    /// A member that always has a value.
    ///
    /// - Parameter cleared: The value that null sets; nil if a patch refuses null.
    init<Value: Sendable>(
        _ name: String,
        _ path: Path<Value>,
        _ format: JSONFormat<Value>,
        cleared: Value? = nil,
        _ patch: Patch<Value> = .none
    ) {
        self.init(name, format.schema, patch) { reader, request in
            if let value = format.read(reader) { request[keyPath: path] = value }
        } change: { reader in
            guard reader.value == .null else { return format.read(reader) }
            if cleared == nil { reader.refuse(.wrongType, "\"\(name)\" cannot be cleared.") }
            return cleared
        } assignment: { new, member, lock in
            MemberChange(path, to: new, of: member, lock: lock)
        }
    }

    private init<New>(
        _ name: String,
        _ schema: JSONSchema,
        _ patch: Patch<New>,
        read: @escaping @Sendable (ValueReader, inout DownloadRequest) -> Void,
        change: @escaping @Sendable (ValueReader) -> New?,
        assignment: @escaping @Sendable (New, String, MemberLock) -> MemberChange
    ) {
        self.name = name
        content = .value(schema)
        self.read = read
        if case .none = patch { isChangeable = false } else { isChangeable = true }
        self.change = { reader, member, edit in
            guard let new = change(reader) else { return }
            switch patch {
            case .none: break
            case .unless(let lock): edit.changes.append(assignment(new, member, lock))
            case .edits(let property): edit[keyPath: property] = new
            }
        }
    }

    /// An object of members, which a patch merges. Null clears all.
    init(_ name: String, _ members: [DownloadMember]) {
        self.name = name
        content = .object(members)
        isChangeable = members.contains(where: \.isChangeable)
        read = { reader, request in
            _ = reader.object { object in
                for member in members { member.read(from: &object, to: &request) }
            }
        }
        change = { reader, name, edit in
            if reader.value == .null {
                for member in members { member.change(reader, name, &edit) }
            } else {
                _ = reader.object { object in
                    for member in members { member.change(from: &object, name, of: &edit) }
                }
            }
        }
    }

    /// Reads the member of a `POST`. Null counts as absent.
    func read(from reader: inout ObjectReader, to request: inout DownloadRequest) {
        if let value = reader.present(name) { read(value, &request) }
    }

    /// Reads the member of a `PATCH`. An absent member keeps its value.
    ///
    /// - Parameter owner: The name of the object that has it, for the refusal of a locked member; nil for none.
    func change(from reader: inout ObjectReader, _ owner: String? = nil, of edit: inout DownloadEdit) {
        if isChangeable, let value = reader.member(name) { change(value, owner ?? name, &edit) }
    }
}
