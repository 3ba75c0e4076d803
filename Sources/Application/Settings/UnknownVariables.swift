import Core

/// Finds variables that look like settings and are none: a misspelled one would be ignored silently.
enum UnknownVariables {
    /// Variables that are no settings: of the client, and of this file's own loader.
    private static let others: Set = ["CORMORANT_CONFIG", "CORMORANT_SERVER"]
    /// The prefix of the variables that change how the tests of this project run.
    private static let testPrefix = "CORMORANT_TEST_"

    /// One warning for each unknown variable, in the order of their names. No warning contains a value.
    static func warnings(_ environment: [String: String]) -> [String] {
        let known = Set(Setting.all.flatMap { [$0.variable, Setting.variable($0.writtenKey)] }).union(others)
        return environment.keys.sorted().compactMap { name in
            guard isWritten(name), !known.contains(name), !isOfKubernetes(name, environment[name] ?? "") else {
                return nil
            }
            return "the variable \(name) is no setting and has no effect\(hint(for: name, known))"
        }
    }

    /// Whether a person may have written it for the service. A name that a shell would refuse was not.
    private static func isWritten(_ name: String) -> Bool {
        name.hasPrefix(Setting.variablePrefix) && !name.hasPrefix(testPrefix)
            && name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || Character(UnicodeScalar($0)).isLetterOrDigit }
    }

    private static func hint(for name: String, _ known: Set<String>) -> String {
        let key = name.dropFirst(Setting.variablePrefix.count).lowercased()
        if let new = RenamedSetting.newName(of: key) { return "; use \(Setting.variable(new))" }
        return Spelling.nearest(to: name, in: known.sorted()).map { "; did you mean \($0)?" } ?? ""
    }

    /// Kubernetes gives each container variables about every service of its namespace: for a service `cormorant` or
    /// `cormorant-…` they begin like settings (<https://kubernetes.io/docs/concepts/services-networking/service/>).
    private static func isOfKubernetes(_ name: String, _ value: String) -> Bool {
        let rest = name.dropFirst(Setting.variablePrefix.count)
        return rest.hasPrefix("SERVICE_") || rest.hasPrefix("PORT")
            || rest.contains("_SERVICE_HOST") || rest.contains("_SERVICE_PORT")
            || value.hasPrefix("tcp://") || value.hasPrefix("udp://") || rest.contains("_PORT_")
    }
}

extension Character {
    fileprivate var isLetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}

/// The keys of settings that have changed. An old one is unknown, and its refusal names the new one.
enum RenamedSetting {
    private static let all = ["folder_mode": "directory_mode"]

    /// The key that took the place of `key`; nil if none did.
    static func newName(of key: String) -> String? { all[key] }
}
