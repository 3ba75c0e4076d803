/// What a client does to the limits that stand in the place of settings.
public enum LimitsEdit: Hashable, Sendable {
    /// Those that are named come beside those that are there already.
    case merge(ServiceLimits.Replacements)
    /// What was said before is forgotten: where none is named, the setting holds again.
    case replace(ServiceLimits.Replacements)

    /// What stands in the place of settings afterwards.
    public func applied(to earlier: ServiceLimits.Replacements) -> ServiceLimits.Replacements {
        switch self {
        case .merge(let replacements): replacements.added(to: earlier)
        case .replace(let replacements): replacements
        }
    }
}
