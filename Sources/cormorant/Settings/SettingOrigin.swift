/// Where a value came from.
enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    /// A flag, with its hyphens.
    case flag(String)
    /// An environment variable.
    case environment(String)
    /// The key of the settings file.
    case file(String)
    case standard

    var description: String {
        switch self {
        case .flag(let name): name
        case .environment(let name): "environment \(name)"
        case .file(let path): "file \(path)"
        case .standard: "default"
        }
    }
}
