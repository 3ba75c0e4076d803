public import Model

/// The body of `PATCH /limits`, merged as RFC 7396 says: what is absent stays, null is no limit.
public struct PatchLimitsBody: Hashable, Sendable {
    public var replacements = ServiceLimits.Replacements()
    public var expectedRevision: Int64?

    /// - Parameter format: `expected_revision` is a member of JSON alone.
    public init(parsing bytes: [UInt8], as format: PatchFormat) throws(BodyFault) {
        let value: JSONValue
        do throws(JSONFault) { value = try JSONValue(parsing: bytes) } catch { throw .json(error) }
        var list = ViolationList()
        guard var reader = ObjectReader(value, at: .root, &list) else { throw .violations(list.violations) }
        if format == .json {
            if value == .object([]) { list.add(.root, .required, "Say what is to change.") }
            reader.refuseNull(["expected_revision"], &list)
            expectedRevision = reader.integer("expected_revision", in: 0...JSONValue.maximumInteger, &list)
        }
        replacements = reader.serviceLimits(&list)
        reader.finish(&list)
        try list.throwIfAny()
    }
}
