import Core

/// A root in the settings: `media=/srv/media`.
struct RootSetting: Hashable, Sendable, CustomStringConvertible {
    let name: RootName
    let path: String

    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = RootName(String(parts[0])), !parts[1].isEmpty else { return nil }
        (self.name, path) = (name, String(parts[1]))
    }

    var description: String { "\(name.text)=\(path)" }
}

extension ValueFormat where Value == RootSetting {
    static var root: Self {
        Self(
            "name=path",
            expects: "a name and a path, such as media=/srv/media; a name is of a to z, 0 to 9, - and _",
            read: { RootSetting($0) },
            text: \.description
        )
    }
}

extension SettingsResolver {
    /// Each name stands for one folder.
    func checkRoots(_ draft: inout Draft) {
        let names = draft.resolved.settings.roots.map(\.name)
        guard Set(names).count < names.count else { return }
        let detail = "expects each name once"
        draft.problems.append(.init(key: "roots", origin: draft.resolved.origins["roots"] ?? .standard, detail: detail))
    }
}
