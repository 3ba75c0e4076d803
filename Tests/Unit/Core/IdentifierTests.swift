import Core
import TestSupport
import Testing

@Suite struct IdentifierTests {
    /// Yields the given numbers in turn.
    private struct Fixed: RandomNumberGenerator {
        var numbers: [UInt64]

        mutating func next() -> UInt64 { numbers.removeFirst() }
    }

    /// The UUIDv7 01890a5d-ac96-774b-bcce-b302099a8057 of the TypeID specification, taken apart.
    private static let knownTime = Timestamp(milliseconds: 0x0189_0a5d_ac96)
    private static let knownText = "dl_01h455vb4pex5vsknk084sn02q"

    @Test func theVectorOfTheSpecificationIsSpelled() {
        var generator = Fixed(numbers: [0x74b, 0x3cce_b302_099a_8057])

        #expect(DownloadID(at: Self.knownTime, using: &generator).text == Self.knownText)
        #expect(DownloadID(Self.knownText)?.text == Self.knownText)
    }

    /// RFC 9562, sections 4.1 and 4.2: version 7, variant 10, whatever the random bits are.
    @Test func versionAndVariantAreFixed() {
        var ones = Fixed(numbers: [.max, .max])
        var zeros = Fixed(numbers: [0, 0])

        #expect(DownloadID(at: Timestamp(milliseconds: 0), using: &zeros).text == "dl_0000000000e008000000000000")
        #expect(DownloadID(at: Timestamp(milliseconds: -1), using: &ones).text == "dl_0000000000fzzvzzzzzzzzzzzz")
    }

    @Test func theTextOrdersAsTheTimeDoes() {
        var generator = SplitMix64(seed: 1)
        let times = (0..<500).map { _ in Int64.random(in: 0..<(1 << 48), using: &generator) }.sorted()
        let texts = Set(times).sorted().map {
            DownloadID(at: Timestamp(milliseconds: $0), using: &generator).text
        }

        #expect(texts == texts.sorted())
    }

    @Test func noTwoOfOneInstantAreTheSame() {
        let ids = Set((0..<10_000).map { _ in EventID(at: Self.knownTime) })

        #expect(ids.count == 10_000)
    }

    @Test func thoseOfOneInstantOrderAsTheirNumbersDo() {
        let ids = (0..<4096).map { DownloadID(at: Self.knownTime, number: $0).text }

        #expect(ids == ids.sorted())
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { DownloadID($0) != nil && $0.hasPrefix(Self.knownText.prefix(13)) })
    }

    @Test(
        arguments: [
            "", "dl", "dl_", "01h455vb4pex5vsknk084sn02q", "evt_01h455vb4pex5vsknk084sn02q",
            "DL_01h455vb4pex5vsknk084sn02q", "dl_01H455VB4PEX5VSKNK084SN02Q", "dl_01h455vb4pex5vsknk084sn02",
            "dl_01h455vb4pex5vsknk084sn02qq", "dl_81h455vb4pex5vsknk084sn02q", "dl_z1h455vb4pex5vsknk084sn02q",
            "dl_01h455vb4pex5vsknk084sn02i", "dl_01h455vb4pex5vsknk084sn02l", "dl_01h455vb4pex5vsknk084sn02o",
            "dl_01h455vb4pex5vsknk084sn02u", "dl_01h455vb4pex5vsknk084sn0-q", "dl-01h455vb4pex5vsknk084sn02q",
            " dl_01h455vb4pex5vsknk084sn02q", "dl_01h455vb4pex5vsknk084sn02q\n", "dl_01h455vb4pex5vsknk084sn02\u{0}",
            "dl_01h455vb4pex5vsknk084sn0é",
        ]
    )
    func malformedIdentifiersAreRefused(_ text: String) {
        #expect(DownloadID(text) == nil)
    }

    @Test func theLargestValueIsTaken() {
        #expect(DownloadID("dl_7zzzzzzzzzzzzzzzzzzzzzzzzz") != nil)
    }

    @Test func eachKindHasItsPrefix() {
        let known = "01h455vb4pex5vsknk084sn02q"

        #expect(EventID("evt_\(known)") != nil)
        #expect(WebhookID("whk_\(known)") != nil)
        #expect(DeliveryID("dlv_\(known)") != nil)
        #expect(RequestID("req_\(known)") != nil)
    }
}

@Suite struct SessionNameTests {
    @Test(arguments: ["a", "Z", "0", "com.example.sync", "a_b-c:d.e", String(repeating: "x", count: 128)])
    func aNameIsTakenAsItIs(_ text: String) {
        #expect(SessionName(text)?.text == text)
    }

    @Test(
        arguments: [
            "", ".a", "_a", ":a", "-a", "a b", "a/b", "a\u{0}", "a\n", "é", "a\u{301}", "a%2F", "a@b",
            String(repeating: "x", count: 129),
        ]
    )
    func invalidSessionNamesAreRefused(_ text: String) {
        #expect(SessionName(text) == nil)
    }
}
