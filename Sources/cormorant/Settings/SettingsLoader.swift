import FoundationEssentials
import Linux

/// Reads the settings: the one place that looks at the environment and the settings file.
enum SettingsLoader {
    /// More than this was named by mistake.
    private static let maximumFileBytes = 1 << 20

    /// - Parameters:
    ///   - flags: By key.
    ///   - config: The path that a flag gave; nil for `CORMORANT_CONFIG`, or no file at all.
    static func load(
        flags: [String: String],
        config: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SettingsError) -> ResolvedSettings {
        let named = environment["CORMORANT_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        let file = try (config ?? named).map { (path) throws(SettingsError) in try read(path) } ?? .none
        return try SettingsResolver(flags: flags, environment: environment, file: file).resolve()
    }

    private static func read(_ path: String) throws(SettingsError) -> SettingsFile {
        let bytes: [UInt8]
        do {
            bytes = try File(path: path, access: .read).readToEnd(limit: maximumFileBytes)
        } catch {
            throw SettingsError(problems: [.init(origin: .file(path), detail: error.message)])
        }
        return try SettingsFile(path: path, json: bytes)
    }
}
