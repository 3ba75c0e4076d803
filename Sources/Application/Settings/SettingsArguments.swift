public import ArgumentParser

/// The settings on a command line: `--config`, and a flag for each row of the table of settings.
public struct SettingsArguments: ParsableArguments {
    @Option(help: ArgumentHelp("A JSON file of settings (or CORMORANT_CONFIG).", valueName: "file"))
    var config: String?

    // The table declares the settings once for flags, environment and file, so their flags are not declared here again.
    @Argument(parsing: .allUnrecognized, help: .hidden)
    var settings: [String] = []

    public init() {}

    public func validate() throws {
        _ = try flags()
    }

    /// - Throws: ``CommandFailure`` with every problem.
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

    /// The settings for the help.
    public static var help: String {
        let rows = Setting.all.map { setting in
            "  \(setting.flag) <\(setting.placeholder)>\n"
                + Self.indented("\(setting.help) Default: \(setting.shownDefault)")
        }
        return """
            Each setting is also an environment variable and a member of the JSON file of --config: --data-dir, \
            CORMORANT_DATA_DIR and "data_dir" are the same. A flag wins over the environment, which wins over the \
            file. A secret is given by a file, or in the environment without _FILE, as CORMORANT_TOKEN.

            SETTINGS:
            \(rows.joined(separator: "\n"))
            """
    }

    /// Broken into lines here, as the help would break them without the indentation.
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
    fileprivate var shownDefault: String { standard.isEmpty ? "none" : standard }
}

/// Reads the flags of settings, which the table declares, out of what the argument parser did not know.
enum SettingsFlags {
    /// The values by key. A later flag replaces an earlier one, so that a script's own can be overridden.
    ///
    /// - Throws: ``InvalidFlag`` for the first that is wrong. A value is not repeated in it.
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
                guard let value = rest.popFirst() else { throw InvalidFlag(detail: "\(parts[0]) lacks its value.") }
                values[key] = value
            }
        }
        return values
    }

    private static func key(of name: String) throws(InvalidFlag) -> String {
        guard name.hasPrefix("--") else {
            throw InvalidFlag(detail: "Unexpected argument; settings begin with two hyphens.")
        }
        if let setting = Setting.all.first(where: { $0.flag == name }) { return setting.writtenKey }
        if let secret = Setting.all.first(where: { $0.kind == .secret && Setting.flag($0.key) == name }) {
            throw InvalidFlag(
                detail: "\(name): the command line is no place for a secret. Use \(secret.flag) or \(secret.variable)."
            )
        }
        throw InvalidFlag(detail: "There is no setting \(name).")
    }
}

/// A flag that names no setting, or lacks its value.
struct InvalidFlag: Error, Hashable, Sendable {
    let detail: String
}
