import Model

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
