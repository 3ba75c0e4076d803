import Glibc
import Linux

@testable import Application

extension FuzzTarget {
    /// The settings file.
    static let settings = FuzzTarget(name: "settings") { bytes in
        do {
            let file = try SettingsFile(path: "settings.json", json: bytes)
            let resolved = try resolver(file: file).resolve()
            try check(!resolved.listing.isEmpty, "settings are shown")
            try checkShown(resolved)
        } catch let error as SettingsError {
            try check(!error.problems.isEmpty, "an error has problems")
            try check(error.problems.allSatisfy { !$0.detail.isEmpty }, "a problem has a text")
        }
    }

    private static func resolver(
        flags: [String: String] = [:],
        file: SettingsFile = .none
    ) -> SettingsResolver {
        let secret = String(repeating: "s", count: 32)
        return SettingsResolver(
            flags: flags,
            environment: [:],
            file: file,
            readSecret: { (_) throws(SystemError) in Secret(text: secret) },
            readCertificates: { (_) throws(SystemError) in
                Secret(text: "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----")
            }
        )
    }

    /// What is shown of a setting may be given as a flag, and means the same. URLs are shown without their secrets.
    private static func checkShown(_ resolved: ResolvedSettings) throws {
        var flags: [String: String] = [:]
        for setting in Setting.all where setting.kind == .plain && resolved.origins[setting.key] != nil {
            let text = setting.show(resolved.settings)
            if !text.contains("REDACTED") { flags[setting.key] = text }
        }
        let again = try resolver(flags: flags).resolve()
        for setting in Setting.all where flags[setting.key] != nil {
            try checkSame(setting.show(resolved.settings), setting.show(again.settings), setting.key)
        }
    }
}
