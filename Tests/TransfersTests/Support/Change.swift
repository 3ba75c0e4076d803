/// What a test wants otherwise than usual: `.change { $0.digest = nil }`.
struct Change<Value> {
    let apply: (inout Value) -> Void

    static func change(_ apply: @escaping (inout Value) -> Void) -> Self { Self(apply: apply) }

    static var nothing: Self { Self { _ in } }
}
