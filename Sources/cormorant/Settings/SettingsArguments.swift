import ArgumentParser

/// The settings on a command line: `--config`, and a flag for each row of the table of settings.
struct SettingsArguments: ParsableArguments {
    @Option(help: ArgumentHelp("A JSON file of settings (or CORMORANT_CONFIG).", valueName: "file"))
    var config: String?

    // The table declares the settings once for flags, environment and file, so their flags are not declared here again.
    @Argument(parsing: .allUnrecognized, help: .hidden)
    var settings: [String] = []

    func validate() throws {
        _ = try flags()
    }

    /// - Throws: ``CommandFailure`` with every problem.
    func load() throws -> ResolvedSettings {
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
    static var help: String {
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
