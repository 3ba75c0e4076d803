import Testing

@testable import Core
@testable import HTTPFields
@testable import TransferRules

struct FieldCursorTests {
    /// Each quote but the first is escaped, so none of them closes another; and each part would look for its own.
    @Test(arguments: ["\\\"", "\\\";", "\\\"x;"])
    func ofTheQuotesThatNothingClosesOneIsLookedForToTheEnd(_ part: String) {
        let value = "a;x=\"" + String(repeating: part, count: (256 << 10) / part.utf8.count)
        var cursor = FieldCursor(value)
        var length = 0
        while !cursor.isAtEnd {
            length += cursor.skip(to: UInt8(ascii: ";")).count
            if cursor.consumeByte() != nil { length += 1 }
        }

        #expect(cursor.unclosedQuotes == 1)
        #expect(length == value.utf8.count)
    }

    @Test func quotedTextIsSkippedAndAnUnclosedQuoteQuotesNothing() {
        var cursor = FieldCursor(#"a="x;\";y";b="z;c"#)
        var parts: [String] = []
        while !cursor.isAtEnd {
            parts.append(String(decoding: cursor.skip(to: UInt8(ascii: ";")), as: UTF8.self))
            _ = cursor.consumeByte()
        }

        #expect(parts == [#"a="x;\";y""#, #"b="z"#, "c"])
    }
}
