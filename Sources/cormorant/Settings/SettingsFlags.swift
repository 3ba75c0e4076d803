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
