public import Model

/// The body of `PATCH /limits`, merged as RFC 7396 says: what is absent stays, null is no limit.
public struct PatchLimitsBody: Hashable, Sendable {
    public var replacements = ServiceLimits.Replacements()
    public var expectedRevision: Int64?

    /// - Parameter format: `expected_revision` is a member of JSON alone.
    public init(parsing bytes: [UInt8], as format: PatchFormat) throws(BodyFault) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        if format == .json {
            reader.requireChange(&list)
            expectedRevision = reader.expectedRevision(from: 0, &list)
        }
        replacements = reader.serviceLimits(&list)
        try reader.close(&list)
    }
}
