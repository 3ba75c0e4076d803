import TestSupport
import Testing

@testable import Core
@testable import HTTPFields
@testable import TransferRules

@Suite struct FileNameTests {
    @Test(
        arguments: [
            ("a.txt", "a.txt"), ("../../etc/passwd", "passwd"), ("..\\..\\x", "x"), (".bashrc", "bashrc"),
            ("con", "_con"), ("CON.txt", "_CON.txt"), ("nul .txt", "_nul .txt"), ("com1", "_com1"), ("prn:", "_prn:"),
            ("lpt\u{B9}.log", "_lpt\u{B9}.log"), ("conin$", "_conin$"), ("console", "console"), ("com", "com"),
            ("a\u{202E}gpj.exe", "agpj.exe"), ("a\u{200F}\u{2066}b", "ab"), ("a\0b.txt", "ab.txt"),
            ("a\r\nb\t.txt", "ab.txt"), ("a\u{7F}\u{9B}b", "ab"), ("a\u{2028}b", "ab"), ("  a.txt  ", "a.txt"),
            ("\u{A0}a\u{3000}", "a"), ("a.txt. . .", "a.txt"), ("... a", "a"), ("", "download"), (".", "download"),
            ("..", "download"), ("/", "download"), ("a/", "download"), ("   ", "download"), ("\u{202E}", "download"),
            ("%2e%2e%2f", "%2e%2e%2f"), ("C:\\Windows\\autoexec.bat", "autoexec.bat"), ("/etc/passwd", "passwd"),
            ("na\u{EF}ve.txt", "na\u{EF}ve.txt"), ("e\u{301}.txt", "\u{E9}.txt"), ("\u{1F600}.zip", "\u{1F600}.zip"),
            ("/\u{301}x", "\u{301}x"), ("a.", "a"), ("-rf", "-rf"), ("\u{200B}", "download"), ("\u{200D}", "download"),
            ("\u{FEFF}", "download"), ("\u{200B} \u{FEFF}.\u{200D}", "download"), ("\u{FEFF}a.txt\u{200B}", "a.txt"),
            ("\u{200D}.a.txt \u{2060}", "a.txt"), ("\u{AD}\u{180E}\u{3164}", "download"), ("\u{FE0F}", "download"),
            ("\u{1F469}\u{200D}\u{1F4BB}.txt", "\u{1F469}\u{200D}\u{1F4BB}.txt"),
            ("\u{2764}\u{FE0F}", "\u{2764}\u{FE0F}"),
            ("con\u{200B}", "_con"),
        ] as [(String, String)]
    )
    func anyTextBecomesASafeName(_ text: String, name: String) {
        #expect(FileName(sanitizing: text).value.utf8.elementsEqual(name.utf8))
    }

    @Test(
        arguments: [
            (String(repeating: "x", count: 5000), 250, ""), (String(repeating: "x", count: 5000) + ".iso", 250, ".iso"),
            (String(repeating: "x", count: 5000) + ".tar.gz", 250, ".tar.gz"),
            (String(repeating: "\u{20AC}", count: 300) + ".zip", 250, ".zip"),
            ("a" + String(repeating: "\u{301}", count: 500), 250, ""),
            ("x." + String(repeating: "y", count: 400), 250, ""),
        ] as [(String, Int, String)]
    )
    func aLongNameKeepsItsExtension(_ text: String, limit: Int, suffix: String) {
        let name = FileName(sanitizing: text).value

        #expect(name.utf8.count <= limit && name.utf8.count > limit - 8)
        #expect(name.hasSuffix(suffix))
    }

    @Test(
        arguments: [
            ("", .empty), (".", .dots), ("..", .dots), ("a/b", .separator), ("a\\b", .separator),
            ("/\u{301}", .separator), ("a\nb", .controlCharacter), ("a\0", .controlCharacter),
            ("a\u{202E}b", .bidiControl), (".hidden", .hidden), (" a", .outerSpaceOrDot), ("a ", .outerSpaceOrDot),
            ("a.", .outerSpaceOrDot), ("...", .outerSpaceOrDot), ("aux", .reserved), ("Nul.txt", .reserved),
            ("\u{200B}", .outerSpaceOrDot), ("a\u{FEFF}", .outerSpaceOrDot), ("\u{200D}a", .outerSpaceOrDot),
            ("\u{FE0F}", .outerSpaceOrDot),
            (String(repeating: "x", count: 256), .tooLong), (String(repeating: "\u{20AC}", count: 86), .tooLong),
        ] as [(String, InvalidName)]
    )
    func aClientsNameIsRefused(_ text: String, because fault: InvalidName) {
        #expect(throws: fault) { try FileName(validating: text) }
    }

    @Test(arguments: ["a", "a.txt", "a b (1).tar.gz", "\u{20AC}", "e\u{301}", String(repeating: "x", count: 255)])
    func aClientsNameIsKeptAsItIs(_ text: String) throws {
        #expect(try FileName(validating: text).value.utf8.elementsEqual(text.utf8))
    }

    @Test func noTextMakesAnUnsafeName() throws {
        var generator = SplitMix64(seed: 3)
        let pieces = [
            "a", "/", "\\", ".", "..", " ", "\0", "\n", "con", "nul", ":", "\u{202E}", "\u{301}", "\u{20AC}",
            "\u{1F600}",
            ".tar", ".gz", "\u{A0}", "\u{FEFF}", "\u{200B}", "\u{200D}", "\u{FE0F}", String(repeating: "y", count: 120),
            "%2f", "\u{212A}",
            "e\u{323}\u{307}",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &generator)).map { _ in generator.pick(pieces) }.joined()
            let name = FileName(sanitizing: text)

            #expect(throws: Never.self) { try FileName(validating: name.value) }
            #expect(name.value.utf8.count <= 250)
            #expect(FileName(sanitizing: name.value) == name)
            #expect(throws: Never.self) { try FileName(validating: name.numbered(99).value) }
        }
    }

    @Test(
        arguments: [
            ("a.txt", 1, "a (1).txt"), ("a.tar.gz", 2, "a (2).tar.gz"), ("A.TAR.XZ", 3, "A (3).TAR.XZ"),
            ("a", 12, "a (12)"), ("v1.2 notes", 1, "v1.2 notes (1)"), ("a.b.txt", 1, "a.b (1).txt"),
            ("tar.gz", 1, "tar (1).gz"),
        ] as [(String, Int, String)]
    )
    func aTakenNameIsNumberedBeforeItsExtension(_ text: String, number: Int, numbered: String) {
        #expect(FileName(sanitizing: text).numbered(number).value == numbered)
    }

    @Test func aTakenNameIsNumberedUpTo99AndThenHasTheDownloadsID() throws {
        let id = DownloadID(at: Timestamp(milliseconds: 0))
        let names = FileName(sanitizing: "a.txt").candidates(for: id).map(\.value)

        #expect(names.prefix(3) == ["a.txt", "a (1).txt", "a (2).txt"])
        #expect(names.suffix(2) == ["a (99).txt", "\(id) a.txt"])
        #expect(names.count == 101)
    }

    /// Otherwise two long names could be cut to the same one.
    @Test func aNumberTakesNothingFromASanitizedName() {
        let name = FileName(sanitizing: String(repeating: "x", count: 5000) + ".iso")
        let stem = name.value.dropLast(4)

        #expect(
            name.candidates(for: DownloadID(at: Timestamp(milliseconds: 0))).dropLast().allSatisfy {
                $0.value.hasPrefix(stem)
            }
        )
    }

    @Test(
        arguments: [
            (143, 0, String(repeating: "x", count: 139) + ".iso"),
            (143, 1, String(repeating: "x", count: 135) + " (1).iso"),
            (10, 0, String(repeating: "x", count: 60) + ".iso"), (255, 0, String(repeating: "x", count: 251) + ".iso"),
        ]
    )
    func aNameFitsTheFileSystem(_ limit: Int, _ number: Int, _ expected: String) throws {
        let longest = try FileName(validating: String(repeating: "x", count: 251) + ".iso")
        let names = longest.candidates(for: DownloadID(at: Timestamp(milliseconds: 0)), longest: limit)

        #expect(names.dropFirst(number).first { _ in true }?.value == expected)
        #expect(names.allSatisfy { $0.value.utf8.count <= max(limit, 64) })
    }

    @Test func aNumberedNameStaysWithinTheLimit() throws {
        let longest = try FileName(validating: String(repeating: "x", count: 251) + ".iso")

        let numbered = longest.numbered(Int.max)

        #expect(numbered.value.utf8.count == 255)
        #expect(numbered.value.hasSuffix(" (9223372036854775807).iso"))
    }
}

@Suite struct FileNameChoiceTests {
    @Test(
        arguments: [
            ("https://a.example/x/b.iso", "b.iso"), ("https://a.example/b.iso?name=c#d", "b.iso"),
            ("https://a.example/na%C3%AFve%20b.txt", "na\u{EF}ve b.txt"), ("https://a.example", "download"),
            ("https://a.example/", "download"), ("https://a.example/x/", "download"),
            ("https://a.example/%2e%2e%2f", "download"), ("https://a.example/a%2Fb", "b"),
            ("https://a.example/%00x%zz", "x%zz"), ("https://a.example?x=/y.txt", "download"),
            ("/relative/c.txt", "c.txt"), ("", "download"), ("https://a.example/%FF", "\u{FFFD}"),
        ] as [(String, String)]
    )
    func theLastComponentOfTheURLIsTheName(_ url: String, name: String) {
        #expect(FileName.choose(requested: nil, suggested: nil, url: url).value == name)
    }

    @Test func theOriginsNameComesBeforeTheURLs() {
        let field = "attachment; filename=\"../b.txt\""

        #expect(FileName.suggested(byContentDisposition: field)?.value == "b.txt")
        #expect(FileName.choose(requested: nil, suggested: "b.txt", url: "http://h/a").value == "b.txt")
    }

    @Test(arguments: ["attachment", "attachment; filename=\"..\"", "attachment; filename*0=x"])
    func anOriginsNameOfWhichNothingIsLeftIsPassedOver(_ field: String) {
        #expect(FileName.suggested(byContentDisposition: field) == nil)
        #expect(FileName.choose(requested: nil, suggested: "..", url: "http://h/a").value == "a")
    }

    @Test(
        arguments: [
            ("https://a.example/get", nil, "application/zip", "get.zip"),
            ("https://a.example/get", "report", "application/pdf; x=y", "report"),
            ("https://a.example/report", nil, "application/pdf; x=y", "report.pdf"),
            ("https://a.example/get", "SHA256SUMS", "text/plain", "SHA256SUMS"),
            ("https://a.example/get", "v1.2", "application/gzip", "v1.2"),
            ("https://a.example/Makefile", nil, "text/plain; charset=utf-8", "Makefile"),
            ("https://a.example/release-1.2", nil, "application/gzip", "release-1.2.gz"),
            ("https://a.example/a.php", nil, "application/zip", "a.php"),
            ("https://a.example/a.tar.gz", nil, "application/gzip", "a.tar.gz"),
            ("https://a.example/get", nil, "application/octet-stream", "get"),
            ("https://a.example/get", nil, "application/x-unheard-of", "get"),
            ("https://a.example/con", nil, "text/csv", "_con.csv"),
            ("https://a.example/", nil, "text/html; charset=utf-8", "page.html"),
            ("https://a.example", nil, "text/html", "page.html"),
            ("https://a.example/?a=/b", nil, "text/html", "page.html"),
            ("https://a.example/", nil, "application/xhtml+xml", "page.xhtml"),
            ("https://a.example/", nil, "application/zip", "download.zip"),
            ("https://a.example/x/", nil, "text/html", "download.html"),
            ("https://a.example/", "index", "text/html", "index"),
        ] as [(String, String?, String, String)]
    )
    func aNameWithoutASuffixGetsThatOfItsType(_ url: String, _ suggested: String?, _ type: String, name: String) {
        let type = MediaType(type)

        #expect(FileName.choose(requested: nil, suggested: suggested, url: url, type: type).value == name)
    }

    @Test func aSuffixFitsIntoTheLongestName() {
        let url = "https://a.example/" + String(repeating: "x", count: 5000)
        let name = FileName.choose(requested: nil, suggested: nil, url: url, type: MediaType("text/html"))

        #expect(name.value.hasSuffix("xx.html"))
        #expect(name.numbered(99).value.utf8.count == FileName.maximumBytes)
    }

    @Test func theClientsNameGetsNoSuffix() throws {
        let requested = try FileName(validating: "mine")
        let name = FileName.choose(
            requested: requested,
            suggested: nil,
            url: "http://h/a",
            type: MediaType("text/html")
        )

        #expect(name == requested)
    }

    @Test func bytesThatAreCodedHaveNoSuffixOfTheirType() {
        var source = Download.Source()
        source.contentType = "text/html"
        let id = DownloadID(at: Timestamp(milliseconds: 0))
        let download = Download(
            id: id,
            request: DownloadRequest(url: "http://h.example/a"),
            state: .queued,
            times: .init(createdAt: Timestamp(milliseconds: 0), deadlineAt: Timestamp(milliseconds: 0))
        )

        #expect(download.fileName(source).value == "a.html")
        source.contentEncoding = "gzip"
        #expect(download.fileName(source).value == "a")
    }

    @Test func theClientsNameWins() throws {
        let requested = try FileName(validating: "mine.txt")

        #expect(FileName.choose(requested: requested, suggested: "b.txt", url: "http://h/a") == requested)
    }
}

@Suite struct RelativeDirectoryTests {
    @Test(arguments: [
        "a", "a/b/c", "v1.2/x", "a b/\u{20AC}", Array(repeating: "x", count: 512).joined(separator: "/"),
    ])
    func aDirectoryIsKeptAsItIs(_ path: String) throws {
        let directory = try RelativeDirectory(validating: path)

        #expect(directory.path == path)
        #expect(directory.parts == path.split(separator: "/").map(String.init))
    }

    @Test(
        arguments: [
            ("", .empty), ("/", .separator), ("/a", .separator), ("a/", .empty), ("a//b", .empty), (".", .dots),
            ("a/../b", .dots), ("..", .dots), ("a/.", .dots), ("a\\b", .separator), ("a/\0", .controlCharacter),
            (".config/x", .hidden), ("a/.bashrc", .hidden), ("con", .reserved), ("a/Nul.txt/b", .reserved),
            ("  ", .outerSpaceOrDot), ("a/ b", .outerSpaceOrDot), ("a./b", .outerSpaceOrDot),
            ("a/\u{200B}", .outerSpaceOrDot),
            ("a\n", .controlCharacter), ("a/\u{202E}", .bidiControl),
            ("a/" + String(repeating: "x", count: 256), .tooLong), ("../\u{301}", .dots),
            (Array(repeating: "xx", count: 342).joined(separator: "/"), .tooLong),
        ] as [(String, InvalidName)]
    )
    func aDirectoryIsRefused(_ path: String, because fault: InvalidName) {
        #expect(throws: fault) { try RelativeDirectory(validating: path) }
    }
}
