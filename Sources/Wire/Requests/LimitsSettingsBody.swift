public import Model

/// The body of `PUT /limits`: what is to stand in the place of settings. A member that is absent leaves its setting;
/// null is no limit.
public struct LimitsSettingsBody: Hashable, Sendable {
    public var replacements: ServiceLimits.Replacements

    public init(parsing bytes: [UInt8]) throws(BodyFault) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        replacements = reader.serviceLimits(&list)
        try reader.close(&list)
    }
}
