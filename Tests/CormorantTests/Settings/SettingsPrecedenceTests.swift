@testable import cormorant
import Testing

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
        #expect(lines[0] == "max_conns (file settings.json): there is no such setting")
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
