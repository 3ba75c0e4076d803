import ArgumentParser
import Client
import Core
import FoundationEssentials
import Testing

@testable import cormorant

/// What `why` advises can be done with the command that it names.
@Suite
struct AdviceTests {
    private static let id = "dl_01kdyak3seeejr3cp3tkjzc1rr"

    private static func download(_ json: String) throws -> Client.Download {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Client.Download.self, from: Data(json.utf8))
    }

    /// The commands of a text, with values in place of the words that stand for them.
    private static func commands(_ text: String) -> [[String]] {
        let values = [
            "URL": "http://a.example/", "NAME:PASSWORD": "a:b", "BYTES": "5", "SIZE": "1GiB",
            "sha-256=HEX": "sha-256=" + String(repeating: "0", count: 64),
        ]
        return text.matches(of: /'cormorant ([^']+)'/).map { match in
            match.1.split(separator: " ").map { values[String($0)] ?? String($0) }
        }
    }

    @Test(arguments: DownloadError.Code.allCases) func theAdviceForAFailureIsACommand(_ code: DownloadError.Code) throws
    {
        let json = #"{"id":"\#(Self.id)","state":"failed","error":{"code":"\#(code.rawValue)"}}"#
        let lines = Explanation.lines(try Self.download(json))
        let commands = lines.flatMap(Self.commands)

        #expect(commands.first == ["retry", Self.id])
        for command in commands { #expect(throws: Never.self) { try Cormorant.parseAsRoot(command) } }
    }

    @Test func aDownloadThatWaitsForCredentialsIsGivenThem() throws {
        let json = #"{"id":"\#(Self.id)","state":"waiting","waiting_for":"credentials"}"#
        let commands = Explanation.lines(try Self.download(json)).flatMap(Self.commands)

        #expect(commands == [["set", Self.id, "--login", "a:b"]])
        #expect(throws: Never.self) { try Cormorant.parseAsRoot(commands[0]) }
    }

    @Test func theAdviceForALoginAndAWebPageNamesTheOption() throws {
        func text(_ code: String) throws -> String? {
            Explanation.advice(try Self.download(#"{"id":"x","state":"failed","error":{"code":"\#(code)"}}"#))
        }

        #expect(try text("auth_required")?.contains("--login") == true)
        #expect(try text("unexpected_page")?.contains("--accept-html") == true)
        #expect(try text("checksum_mismatch")?.contains("--digest") == true)
        #expect(try text("io_error") == nil)
    }
}
