import Testing

@testable import Application

@Suite
struct SettingsPrecedenceTests {
    struct Case: Sendable {
        var flag: String?
        var variable: String?
        var file: String?
        let value: Int
        let origin: String
    }

    @Test(arguments: [
        Case(value: 64, origin: "default"),
        Case(file: "3", value: 3, origin: "file settings.json"),
        Case(variable: "2", file: "3", value: 2, origin: "environment CORMORANT_MAX_CONCURRENT"),
        Case(flag: "1", variable: "2", file: "3", value: 1, origin: "--max-concurrent"),
        Case(flag: "1", file: "3", value: 1, origin: "--max-concurrent"),
        Case(variable: "", file: "3", value: 3, origin: "file settings.json"),
    ])
    func aFlagWinsOverTheEnvironmentWhichWinsOverTheFile(_ example: Case) throws {
        var resolver = SettingsResolver()
        resolver.flags["max_concurrent"] = example.flag
        resolver.environment["CORMORANT_MAX_CONCURRENT"] = example.variable
        resolver.file = SettingsFile(
            path: "settings.json",
            values: example.file.map { ["max_concurrent": $0] } ?? [:]
        )

        let resolved = try resolver.resolve()

        #expect(resolved.settings.maxConcurrent == example.value)
        #expect("\(resolved.origins["max_concurrent"] ?? .standard)" == example.origin)
    }

    @Test
    func everyProblemIsReportedWithItsKeyAndSource() throws {
        let resolver = SettingsResolver(
            flags: ["workers": "none"],
            environment: ["CORMORANT_LISTEN": "example.com:80", "CORMORANT_UNRELATED": "x"],
            file: SettingsFile(path: "settings.json", values: ["max_conns": "1", "body_deadline": "soon"])
        )

        let error = try #require(throws: SettingsError.self) { try resolver.resolve() }

        let lines = error.description.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0] == "max_conns (file settings.json): unknown setting")
        #expect(lines[1].hasPrefix("listen (environment CORMORANT_LISTEN): expects an address and port"))
        #expect(lines[2].hasPrefix("workers (--workers): expects a whole number"))
        #expect(lines[3].hasPrefix("body_deadline (file settings.json): expects a duration"))
    }

    @Test
    func theListingNamesEachSettingOnceWithItsOrigin() throws {
        let resolver = SettingsResolver(flags: ["listen": ":9000"])

        let lines = try resolver.resolve().listing.split(separator: "\n")

        #expect(lines.count == Setting.all.count)
        #expect(
            lines.contains { $0.hasPrefix("listen ") && $0.contains(" 0.0.0.0:9000 ") && $0.hasSuffix("  --listen") }
        )
        #expect(lines.contains { $0.hasPrefix("max_connections ") && $0.hasSuffix("  default") })
    }
}

@Suite
struct SettingsFlagsTests {
    @Test
    func bothFormsOfAFlagAreReadAndTheLastOneCounts() throws {
        let arguments = [
            "--listen", ":1", "--max-concurrent=3", "--listen", ":2", "--webhook-url=http://a.example/?b=c",
        ]

        #expect(
            try SettingsFlags.parse(arguments)
                == ["listen": ":2", "max_concurrent": "3", "webhook_url": "http://a.example/?b=c"]
        )
    }

    @Test(arguments: [["--nothing", "1"], ["--listen"], ["listen", ":1"], ["--max_concurrent", "1"], ["-l", "1"]])
    func unknownFlagsAreRefused(_ arguments: [String]) {
        #expect(throws: InvalidFlag.self) { try SettingsFlags.parse(arguments) }
    }

    @Test(arguments: ["--token=0123456789abcdef", "--webhook-secret=0123456789abcdef"])
    func aSecretOnTheCommandLineIsRefusedAndNotRepeated(_ argument: String) throws {
        let error = try #require(throws: InvalidFlag.self) { try SettingsFlags.parse([argument]) }

        #expect(error.detail.contains("_TOKEN") || error.detail.contains("_SECRET"))
        #expect(!error.detail.contains("0123456789abcdef"))
    }

    @Test
    func theFlagOfASecretIsItsFiles() throws {
        #expect(try SettingsFlags.parse(["--token-file", "/a"]) == ["token_file": "/a"])
    }
}

@Suite
struct SettingsFileTests {
    private func file(_ json: String) throws(SettingsError) -> SettingsFile {
        try SettingsFile(path: "settings.json", json: Array(json.utf8))
    }

    @Test
    func textsNumbersAndListsBecomeWhatAFlagWouldSay() throws {
        let json =
            #"{"listen": ":80", "max_concurrent": 7, "public_hosts": ["a.example", "b.example"], "digest": null}"#

        #expect(
            try file(json).values == ["listen": ":80", "max_concurrent": "7", "public_hosts": "a.example,b.example"]
        )
    }

    @Test(arguments: ["", "[]", "{", #""text""#, "listen: 80"])
    func aSettingsFileThatIsNoObjectIsRefused(_ json: String) throws {
        let error = try #require(throws: SettingsError.self) { try file(json) }

        #expect(error.description == "file settings.json: is not a JSON object")
    }

    @Test(arguments: [
        #"{"listen": {"port": 80}}"#, #"{"listen": {"a": "b,c"}}"#, #"{"listen": [1]}"#, #"{"listen": 1.5}"#,
    ])
    func aMemberOfAnotherTypeIsAProblemOfItsKey(_ json: String) throws {
        let error = try #require(throws: SettingsError.self) { try file(json) }

        #expect(error.problems.map(\.key) == ["listen"])
    }
}
