/// The settings, and where each value came from.
struct ResolvedSettings: Sendable {
    var settings = Settings()
    /// By key; a setting that has its default is missing.
    var origins: [String: SettingOrigin] = [:]
    /// For the operator; nothing that keeps the service from starting.
    var warnings: [String] = []

    /// One line for each setting: key, value, origin. Secrets are redacted.
    var listing: String {
        let rows = Setting.all.map { setting in
            (key: setting.key, value: setting.show(settings), origin: origins[setting.key] ?? .standard)
        }
        let keyWidth = rows.map(\.key.count).max() ?? 0
        let valueWidth = rows.map(\.value.count).max() ?? 0
        return rows.map { row in
            "\(row.key.padded(to: keyWidth))  \(row.value.padded(to: valueWidth))  \(row.origin)"
        }.joined(separator: "\n")
    }
}

extension String {
    /// Filled up with spaces at the end.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }
}
