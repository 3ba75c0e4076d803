import Core
import ServiceSupport
import Testing

@testable import API

@Test(
    arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (1_767_323_045_678, "2026-01-02T03:04:05.678Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
    ] as [(Int64, String)]
)
func anInstantIsWrittenAndReadBack(_ milliseconds: Int64, _ text: String) {
    #expect(Instant.text(Timestamp(milliseconds: milliseconds)) == text)
    #expect(Instant.parse(text)?.milliseconds == milliseconds)
}

@Test(
    arguments: [
        ("2026-01-02t03:04:05z", 1_767_323_045_000), ("2026-01-02T04:04:05.6789+01:00", 1_767_323_045_678),
        ("2026-01-01T19:34:05.5-07:30", 1_767_323_045_500), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ("2017-01-01T00:59:60+01:00", 1_483_228_800_000),
    ] as [(String, Int64)]
)
func everyFormOfRFC3339IsRead(_ text: String, _ milliseconds: Int64) {
    #expect(Instant.parse(text)?.milliseconds == milliseconds)
}

@Test(arguments: [
    "", "2026-01-02", "2026-01-02 03:04:05Z", "2026-01-02T03:04:05", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:00Z",
    "2026-01-02T03:04:60Z",
    "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05Z ", "26-01-02T03:04:05Z", "2026-01-02T03:04:05+0100",
    "2026-01-02T03:04:05+24:00", "２026-01-02T03:04:05Z", "0000-01-01T00:00:00+01:00",
])
func invalidInstantsAreRefused(_ text: String) {
    #expect(Instant.parse(text) == nil)
}

@Test func anInstantBeyondTheYearsIsWrittenAsTheNearestInside() {
    #expect(Instant.text(Timestamp(milliseconds: .max)) == "9999-12-31T23:59:59.999Z")
    #expect(Instant.text(Timestamp(milliseconds: .min)) == "0000-01-01T00:00:00.000Z")
}

@Test(arguments: [
    ("https://a/b", "https://a/b"), ("https://user:pa@ss@a/b@c", "https://a/b@c"),
    ("https://a?sig=1", "https://a?sig=REDACTED"),
    (
        "https://a/?x=1&X-Amz-Signature=2;tok%65n=3&flag#frag",
        "https://a/?x=1&X-Amz-Signature=REDACTED;tok%65n=REDACTED&flag"
    ),
    ("https://a/?token=&=x&&", "https://a/?token=REDACTED&=x&&"), ("https://a/?sig=a=b", "https://a/?sig=REDACTED"),
    ("https://u@a?q=http://x@y", "https://a?q=http://x@y"), ("https://a/?", "https://a/?"), ("", ""),
    ("no url", "no url"),
])
func aURLIsShownToItsGiverWithoutItsSecretMembers(_ url: String, _ shown: String) {
    #expect(RedactedURL(secretMembersOf: url).text == shown)
}

@Test(arguments: [
    ("https://a/b", "https://a/b", "https://a/REDACTED"), ("https://a", "https://a", "https://a"),
    ("https://a/", "https://a/", "https://a/"), ("https://a/?", "https://a/?", "https://a/REDACTED"),
    ("https://a/b?x=1#f", "https://a/b?REDACTED", "https://a/REDACTED"),
    ("https://u:p@a:8443/b?x", "https://a:8443/b?REDACTED", "https://a:8443/REDACTED"),
    ("https://a/b? c2VhbGVk", "https://a/b?REDACTED", "https://a/b?REDACTED"),
    ("https://a/ c2VhbGVk", "https://a/REDACTED", "https://a/REDACTED"),
    ("", "", ""), ("no url", "no url", "no url"),
])
func aURLIsShownWithoutItsSecretPart(_ url: String, _ shown: String, _ endpoint: String) {
    #expect(RedactedURL(url).text == shown)
    #expect(RedactedURL(url, hiding: .path).text == endpoint)
}

@Test func entityTagsAreQuoted() throws {
    let id = try #require(DownloadID(Samples.id))

    #expect(ETags.download(revision: 3, receivedBytes: 1_048_576, phase: nil, readAt: nil) == "\"3.1048576\"")
    #expect(ETags.download(revision: 3, receivedBytes: 7, phase: .probing, readAt: nil) == "\"3.7.probing\"")
    #expect(ETags.file(id: id, generation: 2) == "\"\(Samples.id).2\"")
}
