@testable import cormorant
import Testing

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
    func whatIsNoObjectIsRefused(_ json: String) throws {
        let error = try #require(throws: SettingsError.self) { try file(json) }

        #expect(error.description == "file settings.json: is not a JSON object")
    }

    @Test(arguments: [#"{"listen": {"port": 80}}"#, #"{"listen": {}}"#, #"{"listen": [1]}"#, #"{"listen": 1.5}"#])
    func aMemberOfAnotherTypeIsAProblemOfItsKey(_ json: String) throws {
        let error = try #require(throws: SettingsError.self) { try file(json) }

        #expect(error.problems.map(\.key) == ["listen"])
    }
}
