import Linux

/// One setting: its names, and the format of its value.
///
/// The key is the name in the settings file. The flag is the key with hyphens. The environment variable is `CORMORANT_`
/// and the key in capitals.
public struct Setting: Sendable {
    enum Kind: Sendable {
        case plain
        /// The value comes from a variable, or from a file whose path is the setting `<key>_file`.
        case secret
    }

    let key: String
    let kind: Kind
    let placeholder: String
    /// A description of the valid values, for `docs/SETTINGS.md`.
    let values: String
    /// The description in the help and `docs/SETTINGS.md`: one or two sentences.
    let help: String
    /// The default value as text, for the help.
    let standard: String
    let assign: @Sendable (String, inout Settings) throws(InvalidValue) -> Void
    /// The current value as text. Secrets are redacted.
    let show: @Sendable (Settings) -> String
    /// Assigns the content of a secret's file.
    let assignSecret: (@Sendable (Secret, inout Settings) throws(InvalidValue) -> Void)?

    init<Value>(
        _ key: String,
        _ path: any WritableKeyPath<Settings, Value> & Sendable,
        _ format: ValueFormat<Value>,
        _ help: String
    ) {
        self.key = key
        self.help = help
        kind = .plain
        placeholder = format.placeholder
        values = format.expectation
        standard = format.text(Settings()[keyPath: path])
        assign = { (text, settings) throws(InvalidValue) in settings[keyPath: path] = try format.parse(text) }
        show = { format.text($0[keyPath: path]) }
        assignSecret = nil
    }

    /// - Parameter absent: The word that means no value.
    init<Value>(
        _ key: String,
        _ path: any WritableKeyPath<Settings, Value?> & Sendable,
        optional format: ValueFormat<Value>,
        absent: String = "none",
        _ help: String
    ) {
        self.init(key, path, format.optional(absent: absent), help)
    }

    init<Value>(
        _ key: String,
        _ path: any WritableKeyPath<Settings, [Value]> & Sendable,
        list format: ValueFormat<Value>,
        _ help: String
    ) {
        self.init(key, path, format.list, help)
    }

    /// - Parameter check: Throws for a text that cannot be the secret.
    init(
        secret key: String,
        _ path: any WritableKeyPath<Settings, Secret?> & Sendable,
        expects expectation: String,
        _ help: String,
        check: @escaping @Sendable (String) -> Bool
    ) {
        let setSecret: @Sendable (Secret, inout Settings) throws(InvalidValue) -> Void = {
            (secret, settings) throws(InvalidValue) in
            guard check(secret.text) else { throw InvalidValue(detail: "expects \(expectation)") }
            settings[keyPath: path] = secret
        }
        self.key = key
        self.help = help
        kind = .secret
        placeholder = "path"
        values = "the path of a file with \(expectation)"
        standard = "none"
        assign = { (text, settings) throws(InvalidValue) in try setSecret(Secret(text: text), &settings) }
        show = { $0[keyPath: path] == nil ? "none" : "<redacted>" }
        assignSecret = setSecret
    }

    /// The key in files and flags, which give a secret by the path of a file.
    var writtenKey: String { kind == .secret ? "\(key)_file" : key }

    var flag: String { Self.flag(writtenKey) }

    /// The environment variable with the value itself.
    var variable: String { Self.variable(key) }

    static func flag(_ key: String) -> String { "--" + key.replacing("_", with: "-") }

    static func variable(_ key: String) -> String { variablePrefix + key.uppercased() }

    static let variablePrefix = "CORMORANT_"
}

/// The source of a value.
enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    /// A flag, with its leading hyphens.
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
