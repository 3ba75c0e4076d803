public import Model

/// The body of `PUT /limits`: what is to stand in the place of settings. A member that is absent leaves its setting;
/// null is no limit.
public struct LimitsSettingsBody: Hashable, Sendable {
    public var replacements: ServiceLimits.Replacements

    public init(parsing bytes: [UInt8]) throws(BodyFault) {
        let value: JSONValue
        do throws(JSONFault) { value = try JSONValue(parsing: bytes) } catch { throw .json(error) }
        var list = ViolationList()
        guard var reader = ObjectReader(value, at: .root, &list) else { throw .violations(list.violations) }
        replacements = reader.serviceLimits(&list)
        reader.finish(&list)
        try list.throwIfAny()
    }
}
