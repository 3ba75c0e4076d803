import Core
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

struct RedirectTests {
    private static let content = Content(size: 4000)

    @Test(arguments: [301, 302, 303, 307, 308])
    func aRedirectIsFollowed(status: Int) async throws {
        try await withBench(Self.content, script: [.redirect(status, to: "/there/file.iso")]) { bench in
            bench.origin.serve("/there/file.iso", Self.content)

            let checkpointSink = MemoryCheckpointSink()
            let file = await bench.attempt(try bench.assignment(), checkpointSink).file

            #expect(bench.holds(file))
            #expect(bench.origin.requests.map(\.method) == ["GET", "GET"])
            #expect(checkpointSink.assignment?.download.source.finalURL?.text == bench.origin.url("/there/file.iso"))
            #expect(checkpointSink.assignment?.download.source.redirects == 1)
        }
    }

    @Test(arguments: [("/a b/\u{FC}.iso", "/a%20b/%C3%BC.iso"), ("/a?q=\u{FC} \"", "/a?q=%C3%BC%20%22")])
    func aRedirectThatIsNotEncodedIsFollowedAsBrowsersDo(_ target: String, _ requested: String) async throws {
        try await withBench(Self.content, script: [.redirect(to: target), .good]) { bench in
            let file = await bench.attempt(try bench.assignment()).file

            #expect(bench.holds(file))
            #expect(bench.origin.requests.last?.target == requested)
        }
    }

    @Test(arguments: ["", "/file.bin", "?x=1"])
    func aLoopEndsAfterTenHops(target: String) async throws {
        try await withBench(script: [.redirect(to: target.isEmpty ? "/loop" : target)]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .tooManyRedirects)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(bench.origin.requests.count == 11)
        }
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/", "javascript:1", "http://", "//",
    ])
    func aRedirectToWhatIsNoWebAddressIsRefused(target: String) async throws {
        try await withBench(script: [.redirect(to: target)]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .redirectForbidden)
            #expect(bench.origin.requests.count == 1)
        }
    }

    @Test(arguments: [
        ("http://a.example:99999/", "port"), ("http://a\\b.example/", "backslash"), ("//", "host"),
        ("/\(String(repeating: "a", count: 12_000))", "bytes"),
    ])
    func aRedirectThatIsNoURLSaysWhatIsWrong(_ target: String, _ word: String) async throws {
        try await withBench(script: [.redirect(to: target)]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .redirectForbidden)
            let message = outcome.failure?.error.message ?? ""
            #expect(message.contains(word) && !message.contains("not http or https"), Comment(rawValue: message))
        }
    }

    @Test func aRedirectThatNamesNoPlaceIsNoFile() async throws {
        try await withBench(script: [.redirect(to: "")]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .badResponse)
        }
    }

    @Test func anotherOriginSeesNoneOfTheClientsSecrets() async throws {
        let other = Origin(Self.content)
        defer { other.stop() }
        let credentials = RequestCredentials(
            headers: [.init(name: "Cookie", value: "id=1"), .init(name: "X-Key", value: "secret")],
            user: "u",
            password: "p"
        )
        try await withBench(script: [.redirect(to: other.url("/x"))]) { bench in
            let file = await bench.attempt(try bench.assignment(credentials: credentials)).file

            #expect(bench.holds(file, Self.content))
            let own = try #require(bench.origin.requests.first)
            #expect(own.value(of: "cookie") == "id=1")
            #expect(own.value(of: "x-key") == "secret")
            #expect(own.value(of: "authorization") == "Basic dTpw")
            let foreign = try #require(other.requests.first)
            #expect(["cookie", "x-key", "authorization", "referer"].allSatisfy { foreign.value(of: $0) == nil })
        }
    }

    @Test func theSameOriginSeesTheHeadersAgain() async throws {
        let credentials = RequestCredentials(headers: [.init(name: "X-Key", value: "secret")], user: "u", password: nil)
        try await withBench(script: [.redirect(to: "/there"), .good]) { bench in
            _ = await bench.attempt(try bench.assignment(credentials: credentials))

            let second = try #require(bench.origin.requests.last)
            #expect(second.path == "/there")
            #expect(second.value(of: "x-key") == "secret")
            #expect(second.value(of: "authorization") == "Basic dTo=")
        }
    }

    @Test func userInformationInARedirectIsNotSent() async throws {
        try await withBench(script: [.redirect(to: "//a:b@127.0.0.1:1/x")]) { bench in
            bench.origin.serve(
                "/file.bin",
                bench.content,
                script: [.redirect(to: "http://a:b@127.0.0.1:\(bench.origin.port)/x")]
            )
            bench.origin.serve("/x", bench.content)

            _ = await bench.attempt(try bench.assignment())

            #expect(bench.origin.requests.last?.path == "/x")
            #expect(bench.origin.requests.last?.value(of: "authorization") == nil)
        }
    }

    @Test func aPrivateAddressIsNotSpokenToWherePublicOnesAloneAreAllowed() async throws {
        try await withBench(settings: .change { $0.destinations = .publicOnly(allowances: []) }) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .destinationForbidden)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(bench.origin.connectionCount == 0)
        }
    }

    @Test func aRedirectToAnAddressThatIsNotAllowedIsRefused() async throws {
        let other = Origin(Self.content)
        defer { other.stop() }
        let allowed = [try #require(CIDR("127.0.0.1"))]
        let target = "http://127.0.0.2:\(other.port)/"

        try await withBench(
            script: [.redirect(to: target)],
            settings: .change { $0.destinations = .publicOnly(allowances: allowed) }
        ) {
            let outcome = await $0.attempt(try $0.assignment())

            #expect(outcome.errorCode == .destinationForbidden)
            #expect(other.connectionCount == 0)
        }
    }

    @Test func aRedirectToAPortThatIsNotAllowedIsRefused() async throws {
        let allowed = [try #require(CIDR("127.0.0.1"))]
        let script: [Behaviour] = [.redirect(to: "http://127.0.0.1:6379/")]

        try await withBench(script: script, settings: .change { $0.destinations = .publicOnly(allowances: allowed) }) {
            bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .destinationForbidden)
        }
    }

    @Test(arguments: ["127.0.0.2", "localhost", "0.0.0.0", "[::1]", "a.localhost."])
    func aPublicOriginDoesNotLeadToThisMachine(_ host: String) async throws {
        let other = Origin(Self.content)
        defer { other.stop() }
        let script: [Behaviour] = [.redirect(to: "http://\(host):\(other.port)/file.bin")]
        let settings = Change<EngineSettings>.change {
            $0.isPublicOrigin = { _ in true }
            $0.destinations = .clientChosen(allowances: [])
        }

        try await withBench(script: script, settings: settings) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .destinationForbidden)
            #expect(outcome.failure?.error.message.contains("allow_destinations") == true)
            #expect(other.connectionCount == 0)
        }
    }

    @Test(arguments: [true, false])
    func anAllowedAddressAndALocalOriginLeadToThisMachine(_ isPublic: Bool) async throws {
        let allowed = isPublic ? [try #require(CIDR("127.0.0.0/8"))] : []
        let settings = Change<EngineSettings>.change {
            $0.isPublicOrigin = { _ in isPublic }
            $0.destinations = .clientChosen(allowances: allowed)
        }

        try await withBench(Self.content, script: [.redirect(to: "/there.bin"), .good], settings: settings) { bench in
            let file = await bench.attempt(try bench.assignment()).file
            #expect(bench.holds(file))
        }
    }
}

@Suite struct LocalAddressTests {
    @Test(arguments: [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "169.254.169.254", "168.63.129.16", "::", "::1", "fe80::1",
        "::ffff:127.0.0.1", "64:ff9b::7f00:1",
    ])
    func anAddressOfThisMachineOrItsLinksIsLocal(_ text: String) throws {
        let address = try #require(IPAddress(urlHost: text.contains(":") ? "[\(text)]" : text))
        #expect(address.isLocal)
    }

    @Test(arguments: ["10.0.0.1", "192.168.1.1", "8.8.8.8", "2001:4860::1", "fd00::1"])
    func aPrivateOrPublicAddressIsNot(_ text: String) throws {
        let address = try #require(IPAddress(urlHost: text.contains(":") ? "[\(text)]" : text))
        #expect(!address.isLocal)
    }
}
