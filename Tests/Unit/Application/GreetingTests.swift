import HTTPServer
import Testing

@testable import Application

@Suite struct GreetingTests {
    private func greeting(_ access: Greeting.Access) -> Greeting {
        Greeting(folder: "/srv/data/downloads", access: access)
    }

    @Test func theGreetingNamesThePageTheFoldersAndTheAccess() {
        #expect(
            greeting(.open).text(at: [ServerAddress(port: 8080)]) == """
                The page is at http://127.0.0.1:8080/
                Finished files go to /srv/data/downloads
                No token is needed: only programs on this machine can reach the service

                """
        )
    }

    @Test(arguments: [("0.0.0.0", "127.0.0.1"), ("::", "[::1]")])
    func anAddressOfEveryNetworkIsShownAsOneThatCanBeOpened(_ host: String, _ shown: String) {
        let text = greeting(.made(file: "/srv/data/token")).text(at: [ServerAddress(host: host, port: 8080)])

        #expect(text.hasPrefix("The page is at http://\(shown):8080/, and at this port of every address"))
        #expect(text.hasSuffix("A token is needed: it is in the file /srv/data/token\n"))
    }

    @Test func everyAddressIsShownWithWhetherTheMachineHasIt() {
        let text = greeting(.open).text(
            at: [ServerAddress(port: 80), ServerAddress(host: "::1", port: 81)],
            awaiting: [ServerAddress(host: "192.0.2.1", port: 82)]
        )

        #expect(
            text.hasPrefix(
                """
                The page is at http://127.0.0.1:80/
                and at http://[::1]:81/
                and at http://192.0.2.1:82/ once this machine has that address
                Finished
                """
            )
        )
    }

    @Test func aGivenTokenIsNamedByItsSourceOnly() {
        let text = greeting(.given(.environment("CORMORANT_TOKEN"))).text(at: [ServerAddress(host: "::1", port: 80)])

        #expect(text.contains("http://[::1]:80/"))
        #expect(text.contains("the one that you gave (environment CORMORANT_TOKEN)"))
    }

    @Test func aServiceWithoutItsPageNamesTheAPI() {
        var greeting = greeting(.open)
        greeting.servesPage = false

        #expect(
            greeting.text(at: [ServerAddress(port: 8080)]).hasPrefix("The API is at http://127.0.0.1:8080/ (no page)\n")
        )
    }
}
