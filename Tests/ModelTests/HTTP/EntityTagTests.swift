import Core
import HTTPFields
import Testing

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
