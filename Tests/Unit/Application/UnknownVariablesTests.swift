import Testing

@testable import Application

@Suite struct UnknownVariablesTests {
    private func warnings(_ names: String...) -> [String] {
        UnknownVariables.warnings(Dictionary(uniqueKeysWithValues: names.map { ($0, "secret") }))
    }

    @Test func aMisspelledVariableIsWarnedOfWithTheNearest() {
        let warning =
            "the variable CORMORANT_WEBHOK_URL is no setting and has no effect; did you mean CORMORANT_WEBHOOK_URL?"

        #expect(warnings("CORMORANT_WEBHOK_URL") == [warning])
    }

    @Test func anOldNameIsWarnedOfWithTheNewOne() {
        #expect(warnings("CORMORANT_FOLDER_MODE").first?.hasSuffix("; use CORMORANT_DIRECTORY_MODE") == true)
    }

    @Test func aVariableWithoutANearNameIsWarnedOfWithoutItsValue() {
        #expect(warnings("CORMORANT_UNRELATED") == ["the variable CORMORANT_UNRELATED is no setting and has no effect"])
    }

    @Test(arguments: [
        "CORMORANT_LISTEN", "CORMORANT_TOKEN", "CORMORANT_TOKEN_FILE", "CORMORANT_CONFIG", "CORMORANT_SERVER",
        "CORMORANT_SERVICE_HOST", "CORMORANT_SERVICE_PORT_HTTP", "CORMORANT_PORT", "CORMORANT_PORT_8080_TCP_ADDR",
        "CORMORANT_API_SERVICE_HOST", "CORMORANT_API_PORT_8080_TCP_PROTO", "CORMORANT_TEST_SEED", "CORMORANT",
        "PATH", "CORMORANT_%d",
    ])
    func settingsAndForeignVariablesCauseNoWarning(_ name: String) {
        #expect(warnings(name).isEmpty)
    }

    @Test func theAddressOfAServiceOfKubernetesIsNotWarnedOf() {
        #expect(UnknownVariables.warnings(["CORMORANT_API_PORT": "tcp://10.0.0.11:8080"]).isEmpty)
    }

    @Test func theSettingsCarryTheWarnings() throws {
        let resolved = try SettingsResolver(environment: ["CORMORANT_LISTN": "1"]).resolve()

        #expect(resolved.warnings.count == 1)
    }

    @Test func anOldKeyAndAnOldFlagAreRefusedWithTheNewName() throws {
        let file = SettingsFile(path: "settings.json", values: ["folder_mode": "0750"])
        let error = try #require(throws: SettingsError.self) { try SettingsResolver(file: file).resolve() }
        let flag = try #require(throws: InvalidFlag.self) { try SettingsFlags.parse(["--folder-mode", "0750"]) }

        #expect(error.description.hasSuffix("unknown setting; use directory_mode"))
        #expect(flag.detail == "Unknown setting --folder-mode. Use --directory-mode.")
    }
}
