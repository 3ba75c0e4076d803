import Core
@testable import cormorant
import Linux
import Testing
import Transfer

/// Files of certificates are looked at before the service starts.
@Suite
struct SettingsCertificateTests {
    private static let certificate = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"
    private static let key = "-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----\n"

    private func resolver(_ flags: [String: String], _ files: [String: String] = [:]) -> SettingsResolver {
        var resolver = SettingsResolver(flags: flags)
        resolver.readCertificates = { (path) throws(SystemError) in
            guard let text = files[path] else { throw SystemError(code: 13, call: "open") }
            return Secret(text: text, isReadableByOthers: path.hasSuffix("open"))
        }
        return resolver
    }

    @Test
    func rulesWithTheirFilesAreTaken() throws {
        let rules = "files.example=/a.pem:/a.key,*.example=/both"
        let files = ["/a.pem": Self.certificate, "/a.key": Self.key, "/both": Self.key + Self.certificate]
        let resolved = try resolver(["client_certificates": rules, "ca_file": "/a.pem"], files).resolve()

        #expect(resolved.settings.clientCertificates.map(\.description) == rules.split(separator: ",").map(String.init))
        #expect(resolved.settings.engine.clientCertificates == resolved.settings.clientCertificates)
        #expect(resolved.warnings.isEmpty)
    }

    @Test
    func knownHostsNeedOnlyBeReadable() throws {
        let resolved = try resolver(["known_hosts": "/open"], ["/open": ""]).resolve()

        #expect(resolved.settings.knownHostsFile == "/open" && resolved.warnings.isEmpty)
    }

    @Test(arguments: [
        ["ca_file": "/missing"], ["known_hosts": "/missing"], ["ca_file": "/key"],
        ["client_certificates": "a.example=/missing:/key"],
        ["client_certificates": "a.example=/certificate:/missing"], ["client_certificates": "a.example=/key:/key"],
        ["client_certificates": "a.example=/certificate"], ["client_certificates": "a.example=/certificate:/encrypted"],
        ["client_certificates": "a.example=/certificate:/old"], ["client_certificates": "a.example"],
    ])
    func aFileThatCannotServeKeepsTheServiceFromStarting(_ flags: [String: String]) throws {
        let files = [
            "/certificate": Self.certificate, "/key": Self.key,
            "/encrypted": Self.key.replacing("BEGIN", with: "BEGIN ENCRYPTED"),
            "/old": Self.key.replacing("-----\nMA", with: "-----\nProc-Type: 4,ENCRYPTED\n\nMA"),
        ]
        let error = try #require(throws: SettingsError.self) { try resolver(flags, files).resolve() }

        #expect(error.problems.map(\.key) == [flags.keys.first])
        #expect(!error.description.contains("MA=="))
    }

    @Test
    func aKeyThatOthersMayReadDrawsAWarning() throws {
        let files = ["/a": Self.certificate, "/open": Self.key]
        let resolved = try resolver(["client_certificates": "a.example=/a:/open"], files).resolve()

        #expect(resolved.warnings.count == 1 && resolved.warnings[0].contains("/open"))
    }
}
