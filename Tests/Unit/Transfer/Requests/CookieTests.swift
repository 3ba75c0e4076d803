import Core
import TestSupport
import Testing

@testable import Transfer

struct CookieTests {
    private static let two = RequestCredentials(cookies: [.init(name: "a", value: "1"), .init(name: "B", value: "x y")])

    private static func setting(_ cookies: [String], to target: String) -> Behaviour {
        Behaviour {
            $0.response = .redirect(status: 302, to: target)
            $0.extraFields = cookies.map { "Set-Cookie: \($0)" }
        }
    }

    @Test func theyAreSentInOneField() async throws {
        try await withBench { bench in
            _ = await bench.attempt(try bench.assignment(credentials: Self.two))

            let lines = bench.origin.requests[0].fieldLines.filter { $0.lowercased().hasPrefix("cookie:") }
            #expect(lines == ["Cookie: a=1; B=x y"])
        }
    }

    @Test func anotherOriginSeesNeitherTheseNorThoseThatWereSet() async throws {
        let other = Origin()
        defer { other.stop() }
        try await withBench(script: [Self.setting(["sid=2"], to: other.url("/x"))]) { bench in
            let outcome = await bench.attempt(try bench.assignment(credentials: Self.two))

            #expect(bench.holds(outcome.file))
            #expect(other.requests.map { $0.value(of: "cookie") } == [nil])
        }
    }

    @Test func aLoginOnTheWayIsKeptUpToTheFile() async throws {
        let script = [
            Self.setting(["sid=2; Path=/", "seen=yes"], to: "/login"), Self.setting(["a=3"], to: "/file.bin"), .good,
        ]
        try await withBench(script: script) { bench in
            let outcome = await bench.attempt(try bench.assignment(credentials: Self.two))

            #expect(bench.holds(outcome.file))
            #expect(
                bench.origin.requests.map { $0.value(of: "cookie") } == [
                    "a=1; B=x y", "a=1; B=x y; sid=2; seen=yes", "B=x y; sid=2; seen=yes; a=3",
                ]
            )
        }
    }

    @Test func theClientsOwnFieldIsSentTogetherWithWhatWasSet() async throws {
        let own = RequestCredentials(headers: [.init(name: "cookie", value: "a=1")])
        try await withBench(script: [Self.setting(["sid=2"], to: "/there"), .good]) { bench in
            _ = await bench.attempt(try bench.assignment(credentials: own))

            let lines = bench.origin.requests[1].fieldLines.filter { $0.lowercased().hasPrefix("cookie:") }
            #expect(lines == ["cookie: a=1; sid=2"])
        }
    }

    @Test func theNextAttemptBeginsWithTheClientsAlone() async throws {
        let script = [
            Self.setting(["sid=2"], to: "/there"), .dropping(after: 50_000), Self.setting(["sid=3"], to: "/there"),
            .good,
        ]
        try await withBench(Content(size: 300_000), script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment(credentials: Self.two))

            #expect(bench.holds(outcomes.last?.file))
            #expect(bench.origin.requests[2].value(of: "cookie") == "a=1; B=x y")
            #expect(bench.origin.requests[3].value(of: "cookie") == "a=1; B=x y; sid=3")
        }
    }

    @Test(arguments: ["sid=a\u{1}b", "s d=1", "=1", "sid"])
    func aCookieThatCannotBeSentIsIgnored(_ cookie: String) async throws {
        try await withBench(script: [Self.setting([cookie], to: "/there"), .good]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests[1].value(of: "cookie") == nil)
        }
    }
}
