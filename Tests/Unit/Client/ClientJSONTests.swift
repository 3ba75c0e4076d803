import FoundationEssentials
import Testing

@testable import Client

@Suite
struct ClientJSONTests {
    @Test(arguments: [
        ("2026-01-02T03:04:05.678Z", 1_767_323_045.678), ("1970-01-01T00:00:00Z", 0),
        ("2024-02-29T23:59:59.5Z", 1_709_251_199.5),
    ])
    func anInstantIsRead(_ text: String, _ seconds: Double) throws {
        let date = try #require(InstantText.date(text))

        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.0005)
    }

    @Test(arguments: ["", "2026-01-02", "2026-13-02T03:04:05Z", "2026-01-02T03:04:05+01:00", "2026-01-02T03:04:05.Z"])
    func aTextThatIsNoInstantOfTheServiceIsRefused(_ text: String) {
        #expect(InstantText.date(text) == nil)
    }

    @Test func anInstantIsWrittenAsItWasRead() throws {
        for text in ["2026-01-02T03:04:05.678Z", "1999-12-31T23:59:59.999Z"] {
            #expect(InstantText.text(try #require(InstantText.date(text))) == text)
        }
    }

    @Test func unknownMembersAreIgnoredAndAbsentOnesAreNil() throws {
        let json = #"{"id":"dl_1","state":"dreaming","sleep":{"deep":true},"source":{"final_url":"http://a/"}}"#
        let download: Download = try ClientJSON.decode(Array(json.utf8))

        #expect(download.state == "dreaming")
        #expect(download.name == nil)
        #expect(download.source?.finalURL == "http://a/")
    }

    @Test func namesOfLabelsAndHeadersAreNotChanged() throws {
        var new = Download.Request(url: "http://a.example/")
        new.labels = ["some_label": "a", "someLabel": "b"]
        new.requestHeaders = ["X-Some_Key": "1"]
        new.notBeforeAt = Date(timeIntervalSince1970: 0)
        let text = String(decoding: try ClientJSON.encode(new), as: UTF8.self)
        let read: Download = try ClientJSON.decode(
            Array(#"{"id":"a","state":"b","labels":{"some_label":"a","sha-256":"b"}}"#.utf8)
        )

        #expect(text.contains(#""some_label":"a""#) && text.contains(#""someLabel":"b""#))
        #expect(text.contains(#""request_headers":{"X-Some_Key":"1"}"#))
        #expect(text.contains(#""not_before_at":"1970-01-01T00:00:00.000Z""#))
        #expect(!text.contains("null"))
        #expect(read.labels == ["some_label": "a", "sha-256": "b"])
    }

    @Test func aPatchClearsWithNull() throws {
        var patch = Download.Patch()
        patch.session = .clear
        patch.priority = 3
        patch.description = .set("x")

        let text = String(decoding: try ClientJSON.encode(patch), as: UTF8.self)
        #expect(text == #"{"description":"x","priority":3,"session":null}"#)
    }

    @Test func aMissingMemberIsNamedWithItsPlace() {
        #expect(throws: ClientError.undecodable("/items/Index 0: the member id is missing")) {
            do {
                let _: Page<Download> = try ClientJSON.decode(Array(#"{"items":[{"state":"x"}]}"#.utf8))
            } catch ClientError.undecodable(let text) {
                let isNamed = text.hasPrefix("/items/") && text.hasSuffix(": the member id is missing")
                throw isNamed ? ClientError.undecodable("/items/Index 0: the member id is missing") : .undecodable(text)
            }
        }
    }

    @Test(arguments: [("a b", "a%20b"), ("ä", "%C3%A4"), ("a-._~Z9", "a-._~Z9"), ("a/b?c", "a%2Fb%3Fc")])
    func reservedCharactersOfAURLAreEscaped(_ text: String, _ escaped: String) {
        #expect(text.percentEncoded == escaped)
        #expect(APIRequest.path("downloads", text) == "/downloads/" + escaped)
    }

    @Test(arguments: ["here", "ftp://a.example/", "http://me:secret@a.example/", "http://a.example/?q=1"])
    func aServerThatIsNoRootURLIsRefused(_ text: String) {
        #expect(throws: ClientError.self) { try CormorantClient(server: text) }
    }

    @Test func aProblemNamesEachPartThatIsWrong() throws {
        let json = #"""
            {"type":"/problems/invalid-request","status":400,"detail":"The request has invalid members.",
            "errors":[{"pointer":"/url","code":"malformed","detail":"Expected a URL."}]}
            """#
        let problem: Problem = try ClientJSON.decode(Array(json.utf8))

        #expect(problem.slug == "invalid-request")
        #expect(problem.description == "The request has invalid members.\n/url: Expected a URL.")
    }
}
