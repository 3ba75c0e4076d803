import Core
import Linux
import Testing
import Transfer

@testable import Application

@Suite
struct SettingsSecretTests {
    private let token = "0123456789abcdef"

    private func resolver(_ files: [String: String] = [:]) -> SettingsResolver {
        SettingsResolver { (path) throws(SystemError) in
            guard let text = files[path] else { throw SystemError(code: 2, call: "open") }
            return Secret(text: text, isReadableByOthers: path.hasSuffix("open"))
        }
    }

    @Test(arguments: ["", "\n", "\r\n"])
    func aSecretInTheEnvironmentLosesOneNewline(_ end: String) throws {
        var resolver = resolver()
        resolver.environment["CORMORANT_TOKEN"] = token + end

        #expect(try resolver.resolve().settings.token?.text == token)
    }

    @Test(arguments: [("\"0123456789abcdef\"", true), ("'0123456789abcdef'", true), ("0123456789abcdef\"", false)])
    func quotationMarksAroundATokenAreWarnedOf(_ text: String, isWarned: Bool) throws {
        var resolver = resolver()
        resolver.environment["CORMORANT_TOKEN"] = text
        let resolved = try resolver.resolve()

        #expect(resolved.settings.token?.text == text)
        #expect(resolved.warnings.contains { $0.contains("quotation mark") } == isWarned)
    }

    @Test
    func aSecretIsReadFromTheFileOfAVariableAFlagOrTheSettingsFile() throws {
        var byVariable = resolver(["/a": token])
        byVariable.environment["CORMORANT_TOKEN_FILE"] = "/a"
        var byFlag = resolver(["/a": token])
        byFlag.flags["token_file"] = "/a"
        var byFile = resolver(["/a": token])
        byFile.file = SettingsFile(path: "s.json", values: ["token_file": "/a"])

        for resolver in [byVariable, byFlag, byFile] {
            #expect(try resolver.resolve().settings.token?.text == token)
        }
    }

    /// A secret that got lost on its way must not open the service.
    @Test(arguments: ["TOKEN", "TOKEN_FILE", "WEBHOOK_SECRET", "PROXY", "PROXY_FILE"])
    func aSecretThatIsSetAndEmptyIsAnError(_ name: String) throws {
        var resolver = resolver()
        resolver.environment["CORMORANT_\(name)"] = ""

        let error = try #require(throws: SettingsError.self) { try resolver.resolve() }

        #expect(error.description.contains("environment CORMORANT_\(name)): the variable is empty"))
    }

    @Test(arguments: ["", "\n", " "])
    func anEmptyFileIsNoToken(_ text: String) throws {
        var resolver = resolver(["/a": text])
        resolver.environment["CORMORANT_TOKEN_FILE"] = "/a"

        #expect(throws: SettingsError.self) { try resolver.resolve() }
    }

    @Test
    func bothFormsInTheEnvironmentAreAnError() throws {
        var resolver = resolver(["/a": token])
        resolver.environment = ["CORMORANT_TOKEN": token, "CORMORANT_TOKEN_FILE": "/a"]

        let error = try #require(throws: SettingsError.self) { try resolver.resolve() }

        #expect(error.problems.map(\.key) == ["token"])
        #expect(!error.description.contains(token))
    }

    @Test
    func aFlagsFileWinsOverTheVariablesSecretWhichWinsOverTheFiles() throws {
        var resolver = resolver(["/flag": "flag-0123456789abcdef", "/file": "file-0123456789abcdef"])
        resolver.environment["CORMORANT_TOKEN"] = token
        resolver.file = SettingsFile(path: "s.json", values: ["token_file": "/file"])

        #expect(try resolver.resolve().settings.token?.text == token)
        resolver.flags["token_file"] = "/flag"
        #expect(try resolver.resolve().settings.token?.text == "flag-0123456789abcdef")
    }

    @Test
    func aSecretItselfHasNoPlaceInTheSettingsFile() throws {
        var resolver = resolver()
        resolver.file = SettingsFile(path: "s.json", values: ["token": token])

        let error = try #require(throws: SettingsError.self) { try resolver.resolve() }

        #expect(error.description == "token (file s.json): a secret is given by its file: token_file")
    }

    @Test(arguments: ["short", "0123456789 abcdef", "0123456789abcdef\u{E9}"])
    func aTokenThatCannotBeOneIsRefusedWithoutBeingShown(_ text: String) throws {
        var resolver = resolver()
        resolver.environment["CORMORANT_TOKEN"] = text

        let error = try #require(throws: SettingsError.self) { try resolver.resolve() }

        #expect(!error.description.contains(text))
    }

    @Test
    func aMissingFileIsAProblemOfItsKey() throws {
        var resolver = resolver()
        resolver.flags["webhook_secret_file"] = "/gone"

        let error = try #require(throws: SettingsError.self) { try resolver.resolve() }

        #expect(error.problems.map(\.key) == ["webhook_secret_file"])
        #expect(error.description.contains("/gone"))
    }

    @Test
    func aFileThatOthersCanReadDeservesAWarning() throws {
        var resolver = resolver(["/open": token])
        resolver.flags["token_file"] = "/open"

        #expect(try resolver.resolve().warnings.count == 1)
    }

    @Test
    func theListingShowsNoSecretAndNoQuery() throws {
        var resolver = resolver()
        resolver.environment = [
            "CORMORANT_TOKEN": token,
            "CORMORANT_WEBHOOK_URL": "https://example.com/hook?key=5ecret",
        ]

        let listing = try resolver.resolve().listing

        #expect(!listing.contains(token))
        #expect(!listing.contains("5ecret"))
        #expect(listing.contains("<redacted>"))
        #expect(listing.contains("environment CORMORANT_TOKEN"))
    }
}

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
