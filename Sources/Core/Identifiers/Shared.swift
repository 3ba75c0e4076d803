/// A large value that is copied often and seldom changed, in an object that its copies share: a copy costs one count
/// however many texts are in it, and copies of one value are found equal at a glance.
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

    /// The value. To change it is to hold another one.
    ///
    /// It is not lent by `_read`: Swift 6.3.1 without optimisation destroys what it was lent where one expression reads
    /// a computed property of a member, or compares two members.
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
