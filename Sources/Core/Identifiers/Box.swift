/// A large value that is copied often and rarely changed, in an object that its copies share: a copy costs one
/// reference count however large the value is, and copies of one value compare equal at once.
@usableFromInline
struct Box<Value: Hashable & Sendable>: Hashable, Sendable {
    @usableFromInline
    final class Storage: Sendable {
        @usableFromInline let value: Value

        @usableFromInline
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline var storage: Storage

    @usableFromInline
    init(_ value: Value) { storage = Storage(value) }

    /// The value. A change replaces the shared object.
    ///
    /// It has no `_read`: Swift 6.3.1 without optimisation destroys the borrowed value if one expression reads a
    /// computed property of a member, or compares two members.
    @inlinable var value: Value {
        get { storage.value }
        _modify {
            var value = storage.value
            defer { storage = Storage(value) }
            yield &value
        }
    }

    @usableFromInline
    static func == (first: Self, second: Self) -> Bool {
        first.storage === second.storage || first.storage.value == second.storage.value
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) { storage.value.hash(into: &hasher) }
}
