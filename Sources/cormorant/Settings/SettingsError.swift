/// Everything that is wrong with the settings, so that it can be put right at once.
struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// nil where a whole source is at fault.
        var key: String?
        var origin: SettingOrigin
        var detail: String

        var description: String { key.map { "\($0) (\(origin)): \(detail)" } ?? "\(origin): \(detail)" }
    }

    var problems: [Problem]

    var description: String { problems.map(\.description).joined(separator: "\n") }
}
