public import ArgumentParser
import Core

/// The settings on a command line: `--config`, and one flag for each setting.
public struct SettingsArguments: ParsableArguments {
    @Option(help: ArgumentHelp("A JSON file of settings (or CORMORANT_CONFIG).", valueName: "file"))
    var config: String?

    // ``Setting/all`` declares the settings for flags, environment and file, so they are not declared here.
    @Argument(parsing: .allUnrecognized, help: .hidden)
    var settings: [String] = []

    public init() {}

    public func validate() throws {
        _ = try flags()
    }

    /// - Throws: ``CommandFailure`` with all errors.
    public func load() throws -> ResolvedSettings {
        do {
            return try SettingsLoader.load(flags: try flags(), config: config)
        } catch let error as SettingsError {
            throw CommandFailure(.config, error.description)
        }
    }

    private func flags() throws -> [String: String] {
        do {
            return try SettingsFlags.parse(settings)
        } catch {
            throw ValidationError(error.detail)
        }
    }

    /// The settings section of the help.
    public static var help: String {
        let groups = Setting.groups.map { group in
            let rows = group.settings.map { setting in
                "  \(setting.flag) <\(setting.placeholder)>\n"
                    + indented("\(setting.help) Default: \(setting.shownDefault)")
            }
            return "\(group.title):\n" + rows.joined(separator: "\n")
        }
        return """
            Each setting has one name in three forms: the flag --data-dir, the environment variable \
            CORMORANT_DATA_DIR, and the member "data_dir" of the JSON file that --config names. A flag wins over the \
            environment, which wins over the file. A secret is given by a file, or by an environment variable without \
            _FILE: CORMORANT_TOKEN_FILE or CORMORANT_TOKEN. docs/SETTINGS.md lists all settings.

            SETTINGS

            \(groups.joined(separator: "\n\n"))
            """
    }

    /// Breaks lines here, because the help would break them without the indentation.
    private static func indented(_ text: String) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + 1 + word.count <= 72 {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { "      \($0)" }.joined(separator: "\n")
    }
}

extension Setting {
    /// The default as shown to people: `none` for an empty list.
    var shownDefault: String { standard.isEmpty ? "none" : standard }
}

/// Parses the flags of settings from the arguments that the argument parser did not recognize.
enum SettingsFlags {
    /// The values by key. A later flag replaces an earlier one, so that users can override the flags of a script.
    ///
    /// - Throws: ``InvalidFlag`` for the first invalid flag. The error does not contain the value.
    static func parse(_ arguments: [String]) throws(InvalidFlag) -> [String: String] {
        var values: [String: String] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                String($0)
            }
            let key = try key(of: parts[0])
            if parts.count == 2 {
                values[key] = parts[1]
            } else {
                guard let value = rest.popFirst() else { throw InvalidFlag(detail: "\(parts[0]) expects a value.") }
                values[key] = value
            }
        }
        return values
    }

    private static func key(of name: String) throws(InvalidFlag) -> String {
        guard name.hasPrefix("--") else {
            throw InvalidFlag(detail: "Unexpected argument. The name of a setting begins with two hyphens.")
        }
        if let setting = Setting.all.first(where: { $0.flag == name }) { return setting.writtenKey }
        if let secret = Setting.all.first(where: { $0.kind == .secret && Setting.flag($0.key) == name }) {
            throw InvalidFlag(
                detail: "\(name): the command line is no place for a secret. Use \(secret.flag) or \(secret.variable)."
            )
        }
        let key = String(name.dropFirst(2)).replacing("-", with: "_")
        let hint =
            RenamedSetting.newName(of: key).map { " Use \(Setting.flag($0))." }
            ?? Spelling.nearest(to: name, in: Setting.all.map(\.flag)).map { " Did you mean \($0)?" }
        throw InvalidFlag(detail: "Unknown setting \(name).\(hint ?? "")")
    }
}

/// A flag that is not a setting, or has no value.
struct InvalidFlag: Error, Hashable, Sendable {
    let detail: String
}
