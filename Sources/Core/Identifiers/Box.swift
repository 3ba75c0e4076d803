/// A large value that is often copied and rarely changed. Its copies share one object: a copy costs one reference count
/// regardless of the size, and copies of the same value compare equal in constant time.
@usableFromInline
package struct Box<Value: Hashable & Sendable>: Hashable, Sendable {
    @usableFromInline
    final class Storage: Sendable {
        @usableFromInline let value: Value

        @usableFromInline
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline var storage: Storage

    @usableFromInline
    package init(_ value: Value) { storage = Storage(value) }

    /// The value. A change creates a new object.
    ///
    /// It has no `_read` accessor, because of a bug in Swift 6.3.1: without optimisation, the borrowed value is
    /// destroyed if one expression reads a computed property of a member, or compares two members.
    @inlinable package var value: Value {
        get { storage.value }
        _modify {
            var value = storage.value
            defer { storage = Storage(value) }
            yield &value
        }
    }

    @usableFromInline
    package static func == (first: Self, second: Self) -> Bool {
        first.storage === second.storage || first.storage.value == second.storage.value
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) { storage.value.hash(into: &hasher) }
}
