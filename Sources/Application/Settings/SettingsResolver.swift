import API
import Core
import Linux

/// Determines each setting's value: flag, else environment, else file, else default.
///
/// It reads only files of secrets and certificates, through injected functions.
struct SettingsResolver {
    /// The values by key, with underscores.
    var flags: [String: String] = [:]
    var environment: [String: String] = [:]
    var file = SettingsFile.none
    var readSecret: (String) throws(SystemError) -> Secret = { (path) throws(SystemError) in
        try SecretFile.read(path: path)
    }
    var readCertificates: (String) throws(SystemError) -> Secret = { (path) throws(SystemError) in
        try CertificateFile.read(path: path)
    }

    /// - Throws: All errors.
    func resolve() throws(SettingsError) -> ResolvedSettings {
        var draft = Draft()
        draft.problems = unknownKeys()
        for setting in Setting.all {
            switch setting.kind {
            case .plain: applyPlain(setting, &draft)
            case .secret: applySecret(setting, &draft)
            }
        }
        checkCertificates(&draft)
        checkBodies(&draft)
        checkRoots(&draft)
        guard draft.problems.isEmpty else { throw SettingsError(problems: draft.problems) }
        draft.resolved.warnings += UnknownVariables.warnings(environment)
        draft.resolved.warnOfQuotedToken()
        return draft.resolved
    }

    struct Draft {
        var resolved = ResolvedSettings()
        var problems: [SettingsError.Problem] = []
    }

    private func unknownKeys() -> [SettingsError.Problem] {
        let known = Set(Setting.all.map(\.writtenKey))
        let secrets = Set(Setting.all.filter { $0.kind == .secret }.map(\.key))
        return file.values.keys.filter { !known.contains($0) }.sorted().map { key in
            let hint =
                RenamedSetting.newName(of: key).map { "; use \($0)" }
                ?? Spelling.nearest(to: key, in: known.sorted()).map { "; did you mean \($0)?" } ?? ""
            let detail =
                secrets.contains(key) ? "a secret is given by its file: \(key)_file" : "unknown setting\(hint)"
            return SettingsError.Problem(key: key, origin: .file(file.path), detail: detail)
        }
    }

    private func applyPlain(_ setting: Setting, _ draft: inout Draft) {
        guard let (text, origin) = written(setting.key) else { return }
        apply(setting.key, origin, &draft) { (settings) throws(InvalidValue) in try setting.assign(text, &settings) }
    }

    /// The buffer must have room for one batch.
    private func checkBodies(_ draft: inout Draft) {
        let settings = draft.resolved.settings
        guard settings.maxBufferedBodyBytes / 4 < settings.maxBodyBytes else { return }
        let origin = draft.resolved.origins["max_buffered_body_bytes"] ?? draft.resolved.origins["max_body_bytes"]
        let detail = "expects at least four times max_body_bytes, so that a batch has room"
        draft.problems.append(.init(key: "max_buffered_body_bytes", origin: origin ?? .standard, detail: detail))
    }

    private func applySecret(_ setting: Setting, _ draft: inout Draft) {
        if let name = emptyVariable(of: setting), flags[setting.writtenKey] == nil {
            let detail = "the variable is empty: give the secret, or unset the variable"
            draft.problems.append(.init(key: setting.key, origin: .environment(name), detail: detail))
            return
        }
        let direct = variable(Setting.variable(setting.key))
        if direct != nil && variable(Setting.variable(setting.writtenKey)) != nil {
            let detail = "\(setting.variable) and \(Setting.variable(setting.writtenKey)) are both set; give one"
            draft.problems.append(.init(key: setting.key, origin: .environment(setting.variable), detail: detail))
            return
        }
        if let direct, flags[setting.writtenKey] == nil {
            return apply(setting.key, .environment(setting.variable), &draft) { (settings) throws(InvalidValue) in
                try setting.assign(direct.withoutTrailingNewline, &settings)
            }
        }
        guard let (path, origin) = written(setting.writtenKey) else { return }
        applySecretFile(setting, path, origin, &draft)
    }

    private func applySecretFile(_ setting: Setting, _ path: String, _ origin: SettingOrigin, _ draft: inout Draft) {
        let secret: Secret
        do {
            secret = try readSecret(path)
        } catch {
            draft.problems.append(.init(key: setting.writtenKey, origin: origin, detail: "\(path): \(error.message)"))
            return
        }
        if secret.isReadableByOthers {
            draft.resolved.warnings.append("\(path) can be read by other users; its secret may be known to them")
        }
        apply(setting.writtenKey, origin, &draft) { (settings) throws(InvalidValue) in
            try setting.assignSecret?(secret, &settings)
        }
        draft.resolved.origins[setting.key] = origin
    }

    private func apply(
        _ key: String,
        _ origin: SettingOrigin,
        _ draft: inout Draft,
        _ assign: (inout Settings) throws(InvalidValue) -> Void
    ) {
        do {
            try assign(&draft.resolved.settings)
            draft.resolved.origins[key] = origin
        } catch {
            draft.problems.append(.init(key: key, origin: origin, detail: error.detail))
        }
    }

    /// The text of a setting and its source, by precedence.
    private func written(_ key: String) -> (text: String, origin: SettingOrigin)? {
        if let text = flags[key] { return (text, .flag(Setting.flag(key))) }
        let name = Setting.variable(key)
        if let text = variable(name) { return (text, .environment(name)) }
        return file.values[key].map { ($0, .file(file.path)) }
    }

    /// The variable of a secret that is set but empty. That is an error: ignoring it might disable the token.
    private func emptyVariable(of setting: Setting) -> String? {
        [setting.variable, Setting.variable(setting.writtenKey)].first { environment[$0]?.isEmpty == true }
    }

    /// An empty variable counts as unset, because compose files and scripts set empty ones. For secrets see
    /// ``emptyVariable(of:)``.
    private func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension String {
    /// The text without one newline at the end, which `echo` and editors add.
    fileprivate var withoutTrailingNewline: String {
        // "\r\n" is one `Character`.
        hasSuffix("\n") || hasSuffix("\r\n") ? String(dropLast()) : self
    }
}

extension SettingsResolver {
    func checkCertificates(_ draft: inout Draft) {
        let settings = draft.resolved.settings
        if let path = settings.certificateAuthorityFile {
            check([CertificateFile(kind: .authorities, path: path)], of: "ca_file", &draft)
        }
        check(settings.clientCertificates.flatMap(CertificateFile.files), of: "client_certificates", &draft)
        if let path = settings.knownHostsFile {
            check([CertificateFile(kind: .knownHosts, path: path)], of: "known_hosts", &draft)
        }
    }

    private func check(_ files: [CertificateFile], of key: String, _ draft: inout Draft) {
        for file in files {
            do {
                guard try file.check(readCertificates) else { continue }
                draft.resolved.warnings.append("\(file.path) can be read by other users; its key may be known to them")
            } catch {
                let origin = draft.resolved.origins[key] ?? .standard
                draft.problems.append(.init(key: key, origin: origin, detail: error.detail))
            }
        }
    }
}

extension String {
    /// Pads the text with spaces at the end.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }
}
