public import Core

/// A changed copy of a value.
public func with<Value, Failure: Error>(
    _ value: Value,
    _ change: (inout Value) throws(Failure) -> Void
) throws(Failure) -> Value {
    var value = value
    try change(&value)
    return value
}

extension DownloadEdit {
    /// Changes a member that no state locks.
    public mutating func set<Value: Sendable>(
        _ path: any WritableKeyPath<DownloadRequest, Value> & Sendable,
        to value: Value
    ) {
        changes.append(MemberChange(path, to: value, of: "member", lock: .never))
    }
}
