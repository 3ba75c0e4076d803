import Core
import HTTPFields
import Testing

@Suite struct RangeTests {
    @Test(
        arguments: [
            ("bytes 0-0/1", .bytes(first: 0, last: 0, total: 1)),
            ("bytes 5-9/*", .bytes(first: 5, last: 9, total: nil)),
            ("BYTES 5-9/10", .bytes(first: 5, last: 9, total: 10)), ("bytes */0", .unsatisfied(total: 0)),
            ("bytes */9223372036854775807", .unsatisfied(total: .max)),
            ("bytes 0-9223372036854775806/9223372036854775807", .bytes(first: 0, last: .max - 1, total: .max)),
        ] as [(String, ContentRange)]
    )
    func aContentRangeOfTheGrammarIsRead(_ text: String, range: ContentRange) {
        #expect(ContentRange(text) == range)
        #expect(ContentRange(range.fieldValue) == range)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 5-", "bytes 5-9", "bytes 5-9/", "bytes -9/10", "bytes 9-5/10", "bytes 5-10/10",
        "bytes 5-11/10", "bytes */*", "items 0-1/2", "bytes=0-1/2", "bytes  0-1/2", "bytes 0 - 1/2", "bytes 0-1/2 x",
        "bytes 0-1/2, bytes 3-4/5", "bytes 0-9223372036854775807/*", "bytes 0-1/9223372036854775808",
        "bytes 18446744073709551616-18446744073709551617/*", "bytes 0x0-1/2", "bytes +0-1/2", "bytes */-1",
        "bytes 0-1/\u{0662}",
    ])
    func aContentRangeThatIsNoneIsRefused(_ text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test(
        arguments: [
            (nil, 10, .whole), ("bytes=0-4", 10, .part(ByteRange(first: 0, last: 4))),
            ("bytes=5-", 10, .part(ByteRange(first: 5, last: 9))),
            ("bytes=5-99", 10, .part(ByteRange(first: 5, last: 9))),
            ("Bytes= 9-9 ", 10, .part(ByteRange(first: 9, last: 9))),
            ("bytes=-3", 10, .part(ByteRange(first: 7, last: 9))),
            ("bytes=-99", 10, .part(ByteRange(first: 0, last: 9))),
            ("bytes=0-99999999999999999999", 10, .part(ByteRange(first: 0, last: 9))),
            ("bytes=-99999999999999999999", 10, .part(ByteRange(first: 0, last: 9))),
            ("bytes=10-", 10, .unsatisfiable), ("bytes=10-20", 10, .unsatisfiable), ("bytes=-0", 10, .unsatisfiable),
            ("bytes=99999999999999999999-", 10, .unsatisfiable), ("bytes=0-", 0, .unsatisfiable),
            ("bytes=-5", 0, .whole), ("bytes=0-1,3-4", 10, .whole), ("bytes=4-0", 10, .whole), ("bytes=", 10, .whole),
            ("bytes=-", 10, .whole), ("bytes=a-b", 10, .whole), ("items=0-1", 10, .whole), ("0-1", 10, .whole),
            ("", 10, .whole), ("bytes=0-1x", 10, .whole), ("bytes 0-1", 10, .whole),
        ] as [(String?, Int64, RangeRequest)]
    )
    func aRequestedRangeIsServed(_ text: String?, size: Int64, as request: RangeRequest) {
        #expect(RangeRequest(text, size: size) == request)
    }
}

@Suite struct EntityTagTests {
    @Test(arguments: ["\"abc\"", "W/\"abc\"", "\"!#~\"", "\"a,b;c\"", "\"\u{E9}\"", " \"abc\"\t"])
    func aTagOfTheGrammarIsRead(_ text: String) throws {
        let tag = try #require(EntityTag(text))

        #expect(tag.fieldValue.utf8.elementsEqual(text.trimmedForTest.utf8))
    }

    @Test(arguments: [
        "", "abc", "\"abc", "abc\"", "w/\"abc\"", "W/abc", "W/ \"abc\"", "\"a\"b\"", "\"a b\"", "\"\"", "W/\"\"",
        "\"a\u{0}b\"", "\"a\u{7F}\"", "\"a\r\n\"", "\"\u{85}\"", "\"\u{FFFD}\"", "\"a\", \"b\"", "'a'",
    ])
    func anythingElseIsNone(_ text: String) {
        #expect(EntityTag(text) == nil)
    }

    @Test func aTagOfOneKibibyteIsReadAndALongerOneIsNot() {
        #expect(EntityTag("\"" + String(repeating: "x", count: 1024) + "\"") != nil)
        #expect(EntityTag("\"" + String(repeating: "x", count: 1025) + "\"") == nil)
        #expect(EntityTag("\"" + String(repeating: "x", count: 65_536) + "\"") == nil)
    }

    @Test(
        arguments: [
            ("W/\"1\"", "W/\"1\"", true), ("W/\"1\"", "W/\"2\"", false), ("W/\"1\"", "\"1\"", false),
            ("\"1\"", "\"1\"", true),
        ] as [(String, String, Bool)]
    )
    func weaknessIsPartOfATag(_ lhs: String, _ rhs: String, isEqual: Bool) throws {
        let (lhs, rhs) = (try #require(EntityTag(lhs)), try #require(EntityTag(rhs)))

        #expect((lhs == rhs) == isEqual)
    }

    @Test func tagsThatOnlyLookAlikeDiffer() throws {
        let composed = try #require(EntityTag("\"\u{E9}\""))
        let decomposed = try #require(EntityTag("\"e\u{301}\""))

        #expect(composed != decomposed)
    }
}

extension String {
    fileprivate var trimmedForTest: String { filter { $0 != " " && $0 != "\t" } }
}
