import Core
import TestSupport
import Testing
import TransferRules

@testable import Transfer

/// Origins that speak TLS, well and badly.
struct TLSTests {
    private static let content = Content(size: 300_000)

    @Test(arguments: [TLSServer.Version.tls12, .tls13])
    func aFileComesOverTLS(version: TLSServer.Version) async throws {
        let server = TLSServer(trustedAuthority.issue(), versions: version...version)
        try await withTLSBench(Self.content, script: [.dropping(after: 100_000), .good], tls: server) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(outcomes.count == 2)
            #expect(bench.holds(outcomes.last?.file))
        }
    }

    @Test func aFileComesOverSeveralConnections() async throws {
        let rest = Signal()
        let script: [Behaviour] = [.pace(.stall(after: 300_000, until: rest)), .good]
        try await withTLSBench(Content(size: 4 << 20), script: script, settings: .sharing(4), runsByItself: true) {
            bench in
            async let coming = bench.origin.requests(atLeast: 4)
            let assignment = try bench.assignment()
            async let attempt = bench.attempt(assignment)
            _ = await coming
            rest.fire()

            #expect(bench.holds(await attempt.file))
        }
    }

    enum Certificate: CaseIterable {
        case expired, notYetValid, ofAnotherHost, ofAnUnknownAuthority

        var identity: TestIdentity {
            switch self {
            case .expired: trustedAuthority.issue(["IP:127.0.0.1"], .expired)
            case .notYetValid: trustedAuthority.issue(["IP:127.0.0.1"], .later)
            case .ofAnotherHost: trustedAuthority.issue(["DNS:localhost", "IP:127.0.0.2"])
            case .ofAnUnknownAuthority: TestAuthority().issue()
            }
        }

        /// What the message says of it.
        var words: [String] {
            switch self {
            case .expired: ["expired at", "GMT"]
            case .notYetValid: ["not valid yet", "GMT"]
            case .ofAnotherHost: ["localhost, 127.0.0.2", "not for 127.0.0.1"]
            case .ofAnUnknownAuthority: ["issuer", "Cormorant test authority"]
            }
        }
    }

    @Test(arguments: Certificate.allCases)
    func anOriginThatDoesNotProveItsNameIsAskedForNothing(certificate: Certificate) async throws {
        try await withTLSBench(tls: TLSServer(certificate.identity)) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .tlsFailed)
            #expect(outcome.failure?.failureClass == .permanent)
            let message = try #require(outcome.failure?.error.message)
            #expect(certificate.words.allSatisfy(message.contains), "\(message)")
            #expect(bench.origin.requests.isEmpty)
        }
    }

    @Test func aVersionOfTLSThatIsTooOldIsRefused() async throws {
        try await withTLSBench(tls: TLSServer(trustedAuthority.issue(), versions: .tls10 ... .tls10)) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .tlsFailed)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(outcome.failure?.error.message.contains("TLS 1.2 and 1.3") == true)
            #expect(bench.origin.requests.isEmpty)
        }
    }

    static let outages: [TLSServer.Handshake] = [
        .closed(by: .fin), .closed(by: .reset), .alert(40), .alert(80), .alert(50),
    ]

    /// Attempts begin with a handshake that fails, the second one in the middle of the file. The first is repeated at
    /// once with HTTP/2 on offer.
    @Test(arguments: outages)
    func aHandshakeThatIsInterruptedIsAnOutage(handshake: TLSServer.Handshake) async throws {
        let handshakes: [TLSServer.Handshake] = [handshake, .good, handshake, handshake, handshake, handshake]
        let server = TLSServer(trustedAuthority.issue(), handshakes: handshakes)
        try await withTLSBench(Self.content, script: [.dropping(after: 100_000), .good], tls: server) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file))
            let failures = outcomes.compactMap(\.failure).filter { $0.error.code == .tlsFailed }
            #expect(failures.allSatisfy { $0.failureClass == .transient(.untilGivenUp) })
            #expect(outcomes.count == 6)
        }
    }

    @Test(
        arguments: [(.alert(70), "TLS 1.2 and 1.3"), (.alert(112), "name"), (.clearText, "does not speak TLS")]
            as [(
                TLSServer.Handshake, String
            )]
    )
    func aRefusalOfTheVersionOrTheNameIsFinal(handshake: TLSServer.Handshake, words: String) async throws {
        let server = TLSServer(trustedAuthority.issue(), handshakes: [handshake])
        try await withTLSBench(tls: server) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .tlsFailed)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(outcome.failure?.error.message.contains(words) == true, "\(outcome)")
        }
    }

    @Test(arguments: [true, false])
    func theEndOfAConnectionProvesNoLength(sendsCloseNotify: Bool) async throws {
        let behaviour = Behaviour {
            $0.framing = .closeDelimited
            $0.sendsCloseNotify = sendsCloseNotify
        }
        try await withTLSBench(Self.content, script: [behaviour]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .lengthUnverified)
            #expect(bench.files.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func aDigestProvesABodyThatTheConnectionEnds(sendsCloseNotify: Bool) async throws {
        let behaviour = Behaviour {
            $0.framing = .closeDelimited
            $0.sendsCloseNotify = sendsCloseNotify
        }
        try await withTLSBench(Self.content, script: [behaviour]) { bench in
            let outcome = await bench.attempt(try bench.assignment { $0.expected.digests = [Self.content.sha256] })

            #expect(bench.holds(outcome.file))
        }
    }

    @Test func aRecordThatWasDamagedOnItsWayIsAskedForAgain() async throws {
        let damaged = Behaviour { $0.ending = .damaged(after: 100_000) }
        try await withTLSBench(Self.content, script: [damaged, .good]) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(outcomes.first?.errorCode == .connectFailed)
            #expect(bench.holds(outcomes.last?.file))
            #expect(bench.origin.requests.last?.value(of: "range")?.hasPrefix("bytes=100000-") == true)
        }
    }

    @Test func aRedirectToClearTextIsNotFollowed() async throws {
        let other = Origin()
        defer { other.stop() }
        try await withTLSBench(script: [.redirect(to: other.url())]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .redirectForbidden)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(other.connectionCount == 0)
        }
    }
}

/// Connections over TLS that are not what they seem when they are used again.
struct TLSReuseTests {
    private static let content = Content(size: 1000)
    private static let hidden = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"

    /// Says `text`, and sends what looks like a second response after it.
    private static func surplus(after text: String, pace: Behaviour.Pace = .full) -> Behaviour {
        Behaviour {
            $0.response = .document(text + hidden)
            $0.framing = .wrongContentLength(by: Int64(-hidden.utf8.count))
            $0.pace = pace
        }
    }

    @Test func aConnectionIsUsedAgain() async throws {
        try await withTLSBench(Self.content) { bench in
            _ = await bench.attempt(try bench.assignment("/first"))

            let outcome = await bench.attempt(try bench.assignment("/second"))

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.connectionCount == 1)
        }
    }

    /// With a body of several records the surplus lies in the last of them, which is decrypted already.
    @Test(arguments: [5, 40_000, 200_000])
    func bytesAfterABodyOverTLSAreNotTheNextResponse(byteCount: Int) async throws {
        let text = String(repeating: "r", count: byteCount)
        try await withTLSBench(Self.content, script: [Self.surplus(after: text), .good]) { bench in
            let file = await bench.attempt(try bench.assignment("/first")).file
            let outcome = await bench.attempt(try bench.assignment("/second"))

            #expect(try bench.text(try #require(file).path) == text)
            #expect(bench.holds(outcome.file))
            #expect(bench.origin.connectionCount == 2)
        }
    }
}
