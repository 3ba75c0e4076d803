/// A large value that is copied often and rarely changed, in an object that its copies share: a copy costs one
/// reference count however large the value is, and copies of one value compare equal at once.
@usableFromInline
struct Shared<Value: Hashable & Sendable>: Hashable, Sendable {
    @usableFromInline
    final class Holder: Sendable {
        @usableFromInline let value: Value

        @usableFromInline
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline var holder: Holder

    @usableFromInline
    init(_ value: Value) { holder = Holder(value) }

    /// The value. A change replaces the shared object.
    ///
    /// It has no `_read`: Swift 6.3.1 without optimisation destroys the borrowed value if one expression reads a
    /// computed property of a member, or compares two members.
    @inlinable var value: Value {
        get { holder.value }
        _modify {
            var value = holder.value
            defer { holder = Holder(value) }
            yield &value
        }
    }

    @usableFromInline
    static func == (first: Self, second: Self) -> Bool {
        first.holder === second.holder || first.holder.value == second.holder.value
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) { holder.value.hash(into: &hasher) }
}
