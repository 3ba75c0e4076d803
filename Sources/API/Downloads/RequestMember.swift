import Core

/// A member of ``DownloadRequest`` in the API. `POST` reads it, `PATCH` may change it.
struct RequestMember: Sendable {
    typealias Path<Value> = any WritableKeyPath<DownloadRequest, Value> & Sendable

    let name: String
    let content: Content
    /// Whether a patch may have it.
    let isChangeable: Bool
    private let read: @Sendable (ValueReader, inout DownloadRequest) -> Void
    /// Applies a value or null. The text is the member that a refusal names: that of the object, if it is in one.
    private let change: @Sendable (ValueReader, String, inout DownloadEdit) -> Void

    enum Content: Sendable {
        case value(JSONSchema)
        case object([RequestMember])
    }

    /// How a patch changes a member.
    enum Patch<New>: Sendable {
        /// A patch that has the member is refused: the member is unknown there.
        case notAllowed
        /// The member may change, except in the states of the lock.
        case lockedWhen(MemberLock)
        /// The edit has a property for the new value, because other code reads or replaces it.
        case storedIn(any WritableKeyPath<DownloadEdit, New?> & Sendable)

        /// The member may change in every state.
        static var always: Self { .lockedWhen(.never) }
    }

    /// A member that may be absent. Null clears it.
    init<Value: Hashable & Sendable>(
        _ name: String,
        _ path: Path<Value?>,
        _ format: JSONFormat<Value>,
        _ patch: Patch<DownloadEdit.Change<Value>> = .notAllowed
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
        _ patch: Patch<Value> = .notAllowed
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
        if case .notAllowed = patch { isChangeable = false } else { isChangeable = true }
        self.change = { reader, member, edit in
            guard let new = change(reader) else { return }
            switch patch {
            case .notAllowed: break
            case .lockedWhen(let lock): edit.changes.append(assignment(new, member, lock))
            case .storedIn(let property): edit[keyPath: property] = new
            }
        }
    }

    /// An object of members, which a patch merges. Null clears all.
    init(_ name: String, _ members: [RequestMember]) {
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
