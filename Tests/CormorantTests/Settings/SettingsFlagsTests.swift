@testable import cormorant
import Testing

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
    func whatIsNoFlagOfASettingIsRefused(_ arguments: [String]) {
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
