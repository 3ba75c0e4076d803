import Testing

@testable import cormorant

@Suite
struct TableTests {
    private static func table() -> Table {
        var table = Table([
            Table.Column(title: "ID"), Table.Column(title: "NAME", isFlexible: true),
            Table.Column(title: "SIZE", isRight: true),
        ])
        table.rows = [
            [.init("1"), .init("a-long-name-of-a-file.iso"), .init("12 MiB")], [.init("22"), .init("b"), .init(nil)],
        ]
        return table
    }

    @Test func columnsAreAligned() {
        #expect(
            Self.table().lines(width: nil, isColoured: false) == [
                "ID  NAME                         SIZE",
                "1   a-long-name-of-a-file.iso  12 MiB",
                "22  b                               -",
            ]
        )
    }

    @Test func theNameIsShortenedWhereTheTerminalIsNarrow() {
        let lines = Self.table().lines(width: 28, isColoured: false)

        #expect(lines[1] == "1   a-long-name-of-…  12 MiB")
        #expect(lines.allSatisfy { $0.columns <= 28 })
    }

    @Test func aColumnIsLeftOutWhereTheTerminalIsTooNarrow() {
        var table = Table([
            .init(title: "A"), .init(title: "EMPTY", rank: 9), .init(title: "LOW", rank: 1),
            .init(title: "HIGH", rank: 2),
        ])
        table.rows = [[.init("a"), .init(nil), .init("low"), .init("high")]]

        #expect(table.lines(width: 19, isColoured: false)[1] == "a  -      low  high")
        #expect(table.lines(width: 13, isColoured: false)[1] == "a  low  high")
        #expect(table.lines(width: 8, isColoured: false)[1] == "a  high")
        #expect(table.lines(width: 2, isColoured: false)[1] == "a")
    }

    @Test func aColourIsAroundTheWordOnly() {
        var table = Table([Table.Column(title: "STATE"), Table.Column(title: "X")])
        table.rows = [[.init("failed", .red), .init("y")]]

        #expect(table.lines(width: nil, isColoured: true)[1] == "\u{1B}[31mfailed\u{1B}[0m  y")
    }

    @Test func aNameCannotMoveTheCursor() {
        #expect(Table.Cell("a\u{1B}[2Jb\u{202E}c").text == "a\u{FFFD}[2Jb\u{FFFD}c")
    }

    @Test func styledWordsAreTheStatesOfTheService() {
        #expect(TextStyle.state("failed: timeout") == .red)
        #expect(TextStyle.state("waiting: host") == .yellow)
        #expect(TextStyle.state("running: verifying") == .blue)
    }
}

@Suite
struct RawJSONTests {
    @Test func theItemsOfAPageAreCutAsTheyAre() {
        let page = Array(#"{"items":[{"a":"}],","b":[1,{}]},{"c":null}],"next_cursor":null}"#.utf8)

        let items = RawJSON.items(page).map { String(decoding: $0, as: UTF8.self) }
        #expect(items == [#"{"a":"}],","b":[1,{}]}"#, #"{"c":null}"#])
        #expect(RawJSON.items(Array(#"{"items":[]}"#.utf8)) == [])
        #expect(RawJSON.value(of: "next_cursor", in: page) == Array("null".utf8))
        #expect(RawJSON.value(of: "missing", in: page) == nil)
    }

    @Test func anIndentedTextHasOneMemberInALine() {
        let text = RawJSON.indented(Array(#"{"a":[1,2],"b":{},"c":"x\"y, {","d":[]}"#.utf8))

        #expect(
            text == """
                {
                  "a": [
                    1,
                    2
                  ],
                  "b": {},
                  "c": "x\\"y, {",
                  "d": []
                }
                """
        )
    }
}

@Suite
struct PlainTextTests {
    @Test(arguments: ["\u{0}", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{61C}", "\u{200F}", "\u{2028}", "\u{202E}"])
    func aCharacterThatControlsTheTerminalIsReplacedAndEscapedInJSON(_ character: Unicode.Scalar) {
        let digits = String(character.value, radix: 16)
        let escape = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits

        #expect("a\(character)b".printable == "a\u{FFFD}b")
        #expect("a\(character)\nb".printableLines == "a\u{FFFD}\nb")
        #expect(RawJSON.line(Array("{\"a\":\"\(character)\"}".utf8)) == "{\"a\":\"\(escape)\"}")
        #expect(RawJSON.quoted("\"\\\(character)") == "\"\\\"\\\\\(escape)\"")
    }

    @Test func lettersOfAllScriptsStay() {
        let text = "ä 漢 👩‍👩‍👧 שלום می‌خواهم"

        #expect(text.printable == text)
        #expect(RawJSON.line(Array(text.utf8)) == text)
    }

    @Test func aNameThatBeginsWithAHyphenIsAnArgumentWithItsFolder() {
        #expect(ArgumentName(name: "--all").argument == "./--all")
        #expect(ArgumentName(argument: "./--all").name == "--all")
        #expect(ArgumentName(name: "a").argument == "a" && ArgumentName(argument: "a").name == "a")
        #expect(ShellCompletions.fitting(["--all", "./--all", "a b", "a"], "") == ["./--all", "a"])
    }
}
