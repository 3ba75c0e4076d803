public import ArgumentParser

/// The option `--data-dir` of a command that needs no other setting.
public struct DataArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("The data folder of the service (or CORMORANT_DATA_DIR).", valueName: "dir"),
        completion: .directory
    )
    var dataDir: String?

    @Option(
        help: ArgumentHelp("A JSON file of settings (or CORMORANT_CONFIG).", valueName: "file"),
        completion: .file()
    )
    var config: String?

    public init() {}

    /// - Throws: ``CommandFailure`` with all errors of the settings.
    public func load() throws -> ResolvedSettings {
        do {
            return try SettingsLoader.load(flags: dataDir.map { ["data_dir": $0] } ?? [:], config: config)
        } catch {
            throw CommandFailure(.config, error.description)
        }
    }
}
