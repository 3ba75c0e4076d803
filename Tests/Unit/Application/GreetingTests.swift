import Testing

@testable import Application

@Suite struct GreetingTests {
    private func greeting(_ listen: String, _ access: Greeting.Access) throws -> Greeting {
        Greeting(listen: try #require(ListenAddress(listen)), folder: "/srv/data/downloads", access: access)
    }

    @Test func itSaysWhereThePageIsWhereFilesGoAndWhoMayUseIt() throws {
        let greeting = try greeting("127.0.0.1:0", .open)

        #expect(
            greeting.text(port: 8080) == """
                The page is at http://127.0.0.1:8080/
                Finished files go to /srv/data/downloads
                No token is needed: only programs on this machine can reach the service

                """
        )
    }

    @Test func anAddressOfEveryNetworkIsShownAsOneThatCanBeOpened() throws {
        let text = try greeting(":8080", .made(file: "/srv/data/token")).text(port: 8080)

        #expect(text.hasPrefix("The page is at http://127.0.0.1:8080/, and at this port of every address"))
        #expect(text.hasSuffix("A token is needed: it is in the file /srv/data/token\n"))
    }

    @Test func aGivenTokenIsNamedByItsSourceOnly() throws {
        let text = try greeting("[::1]:80", .given(.environment("CORMORANT_TOKEN"))).text(port: 80)

        #expect(text.contains("http://[::1]:80/"))
        #expect(text.contains("the one that you gave (environment CORMORANT_TOKEN)"))
    }

    @Test func aServiceWithoutItsPageNamesTheAPI() throws {
        var greeting = try greeting("8080", .open)
        greeting.servesPage = false

        #expect(greeting.text(port: 8080).hasPrefix("The API is at http://127.0.0.1:8080/ (no page)\n"))
    }
}
