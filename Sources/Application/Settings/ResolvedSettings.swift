import API
import Core
import Linux

extension ResolvedSettings {
    /// `docker run --env-file` keeps the quotation marks of a value, so they become a part of the token.
    mutating func warnOfQuotedToken() {
        guard let token = settings.token?.text, let first = token.first, token.count > 1, first == token.last,
            first == "\"" || first == "'"
        else { return }
        warnings.append("the token begins and ends with a quotation mark, which is a part of it; --env-file keeps them")
    }
}

/// The settings, and the source of each value.
public struct ResolvedSettings: Sendable {
    public var settings = Settings()
    /// The sources by key. Settings with their default value are omitted.
    var origins: [String: SettingOrigin] = [:]
    /// Warnings for the operator. They do not prevent the start.
    public var warnings: [String] = []

    /// One line for each setting: key, value, origin. Secrets are redacted.
    public var listing: String {
        let nameWidth = shown.map(\.name.count).max() ?? 0
        let valueWidth = shown.map(\.value.count).max() ?? 0
        return shown.map { row in
            "\(row.name.padded(to: nameWidth))  \(row.value.padded(to: valueWidth))  \(row.origin)"
        }.joined(separator: "\n")
    }

    /// The settings as `GET /settings` shows them. Secrets are redacted.
    var shown: [ShownSetting] {
        Setting.all.map { setting in
            ShownSetting(
                name: setting.key,
                value: setting.show(settings),
                origin: "\(origins[setting.key] ?? .standard)",
                description: setting.help
            )
        }
    }
}
