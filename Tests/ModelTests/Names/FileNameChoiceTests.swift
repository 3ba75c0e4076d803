@testable import Core
@testable import HTTPFields
import Testing
@testable import TransferRules

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

    @Test func theClientsNameWins() throws {
        let requested = try FileName(validating: "mine.txt")

        #expect(FileName.choose(requested: requested, suggested: "b.txt", url: "http://h/a") == requested)
    }
}
