import API
import FoundationEssentials
import Linux

/// The settings file: one JSON object whose values are strings, numbers, booleans, lists of strings or of objects, or
/// objects of strings.
struct SettingsFile: Sendable {
    let path: String
    /// The values by key, in the form of a flag or variable. A list is joined by commas.
    let values: [String: String]

    /// No settings file.
    static let none = SettingsFile(path: "", values: [:])

    init(path: String, values: [String: String]) {
        self.path = path
        self.values = values
    }

    init(path: String, json: [UInt8]) throws(SettingsError) {
        guard case .object(let members)? = try? JSONValue(parsing: json) else {
            let problem = SettingsError.Problem(origin: .file(path), detail: "is not a JSON object")
            throw SettingsError(problems: [problem])
        }
        var values: [String: String] = [:]
        var problems: [SettingsError.Problem] = []
        for member in members where member.value != .null {
            if let text = member.value.settingText {
                values[member.name] = text
            } else {
                let detail =
                    "expects a string, a whole number, true, false, a list, or an object of strings without commas"
                problems.append(.init(key: member.name, origin: .file(path), detail: detail))
            }
        }
        guard problems.isEmpty else { throw SettingsError(problems: problems.sorted { $0.key ?? "" < $1.key ?? "" }) }
        self.init(path: path, values: values)
    }
}

extension JSONValue {
    /// The value in the form of a flag or variable; nil if no setting has values of this type.
    fileprivate var settingText: String? {
        switch self {
        case .string(let text): return text
        case .number: return integer.map { String($0) }
        case .array(let values):
            let objects = values.filter { if case .object = $0 { true } else { false } }
            if !values.isEmpty && objects.count == values.count { return canonical }
            let texts = values.compactMap { value -> String? in
                guard case .string(let text) = value else { return nil }
                return text
            }
            return texts.count == values.count ? texts.joined(separator: ",") : nil
        case .bool(let flag): return flag ? "true" : "false"
        case .object(let members):
            let pairs = members.compactMap { member -> String? in
                // In the form of a flag, a comma separates the pairs.
                guard case .string(let text) = member.value, !text.contains(",") else { return nil }
                return "\(member.name)=\(text)"
            }
            return pairs.count == members.count ? pairs.joined(separator: ",") : nil
        case .null: return nil
        }
    }
}

/// Loads the settings. Only this type reads the environment and the settings file.
enum SettingsLoader {
    /// A larger file was named by mistake.
    private static let maximumFileBytes = 1 << 20

    /// - Parameters:
    ///   - flags: The values of flags, by key.
    ///   - config: The path in the flag `--config`; nil to use `CORMORANT_CONFIG`, or no file.
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
            throw SettingsError(problems: [.init(origin: .file(path), detail: "cannot be read: \(error.message)")])
        }
        return try SettingsFile(path: path, json: bytes)
    }
}

/// All errors in the settings, reported together.
struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// nil if a whole source is invalid.
        var key: String?
        var origin: SettingOrigin
        var detail: String

        var description: String { key.map { "\($0) (\(origin)): \(detail)" } ?? "\(origin): \(detail)" }
    }

    var problems: [Problem]

    var description: String { problems.map(\.description).joined(separator: "\n") }
}
