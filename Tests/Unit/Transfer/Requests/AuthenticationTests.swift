import Core
import Crypto
import HTTPFields
import TestSupport
import Testing

@testable import Transfer

struct AuthenticationTests {
    enum Algorithm: String, CaseIterable, Sendable {
        case md5 = "MD5"
        case sha256 = "SHA-256"

        func hash(_ text: String) -> String {
            let bytes: [UInt8] =
                switch self {
                case .md5: Array(Insecure.MD5.hash(data: Array(text.utf8)))
                case .sha256: Array(SHA256.hash(data: Array(text.utf8)))
                }
            return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }

    private static func challenge(_ algorithm: Algorithm) -> Behaviour {
        Behaviour {
            $0.response = .page(status: 401)
            $0.extraFields = [
                #"WWW-Authenticate: Digest realm="deep", qop="auth", algorithm=\#(algorithm.rawValue), nonce="n1""#
            ]
        }
    }

    private static let digest = RequestCredentials(authentication: .digest(username: "me", password: "secret"))

    /// Whether a request proves the password (RFC 7616, section 3.4.1).
    private static func isProof(_ request: RecordedRequest, _ algorithm: Algorithm) -> Bool {
        guard let field = request.value(of: "authorization"), field.hasPrefix("Digest ") else { return false }
        var values: [String: String] = [:]
        for part in field.dropFirst(7).split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            values[pair[0].filter { $0 != " " }] = pair[1].filter { $0 != "\"" }
        }
        let user = algorithm.hash("me:deep:secret")
        let requestDigest = algorithm.hash("\(request.method):\(request.target)")
        let nonce = "n1:\(values["nc"] ?? ""):\(values["cnonce"] ?? ""):auth"
        return values["username"] == "me" && values["response"] == algorithm.hash("\(user):\(nonce):\(requestDigest)")
    }

    @Test(
        arguments: [
            (.basic(username: "me", password: "secret"), "Basic bWU6c2VjcmV0"),
            (.basic(username: "", password: ""), "Basic Og=="),
            (.bearer(token: "a.b~c+d/e="), "Bearer a.b~c+d/e="),
        ] as [(OriginAuthentication, String)]
    )
    func basicAndBearerAreSentAtOnce(_ authentication: OriginAuthentication, _ field: String) async throws {
        try await withBench { bench in
            let credentials = RequestCredentials(authentication: authentication)
            let outcome = await bench.attempt(try bench.assignment(credentials: credentials))

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.map { $0.value(of: "authorization") } == [field])
        }
    }

    @Test(arguments: Algorithm.allCases)
    func aDigestAnswersTheChallengeWhichIsNoAnswer(_ algorithm: Algorithm) async throws {
        try await withBench(script: [Self.challenge(algorithm), .good]) { bench in
            let outcome = await bench.attempt(try bench.assignment(credentials: Self.digest))

            #expect(bench.holds(outcome.file))
            let requests = bench.origin.requests
            try #require(requests.count == 2)
            #expect(requests[0].value(of: "authorization") == nil)
            #expect(Self.isProof(requests[1], algorithm))
        }
    }

    @Test(arguments: Algorithm.allCases)
    func missingRangesAreRequestedWithDigestAuthenticationToo(_ algorithm: Algorithm) async throws {
        let challenge = Self.challenge(algorithm)
        let script = [challenge, .dropping(after: 50_000), challenge, .good]
        try await withBench(Content(size: 300_000), script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment(credentials: Self.digest))

            #expect(bench.holds(outcomes.last?.file))
            let requests = bench.origin.requests
            try #require(requests.count == 4)
            #expect(requests[3].value(of: "range")?.hasPrefix("bytes=") == true)
            #expect(requests[3].value(of: "range") == requests[2].value(of: "range"))
            #expect(requests[3].value(of: "if-range") == bench.content.etag)
            #expect(Self.isProof(requests[1], algorithm) && Self.isProof(requests[3], algorithm))
        }
    }

    @Test(arguments: [
        Self.challenge(.sha256), .page(401),
        Behaviour {
            $0.response = .page(status: 401)
            $0.extraFields = [#"WWW-Authenticate: Basic realm="deep""#]
        },
        Behaviour {
            $0.response = .page(status: 401)
            $0.framing = .chunked
            $0.extraFields = [#"WWW-Authenticate: Digest realm="deep", nonce="n1", algorithm=UNHEARD-OF"#]
        },
    ])
    func aRefusalIsClassifiedAsOne(_ refusal: Behaviour) async throws {
        try await withBench(script: [refusal]) { bench in
            let outcome = await bench.attempt(try bench.assignment(credentials: Self.digest))

            #expect(outcome.errorCode == .authRequired)
            #expect(bench.files.isEmpty)
            #expect(bench.origin.requests.allSatisfy { $0.value(of: "authorization")?.hasPrefix("Basic") != true })
        }
    }

    @Test func aPasswordThatIsRefusedIsNotTriedAgain() async throws {
        try await withBench(script: [Self.challenge(.md5)]) { bench in
            _ = await bench.attempt(try bench.assignment(credentials: Self.digest))

            #expect(bench.origin.requests.count == 2)
        }
    }

    @Test func aPostIsAuthenticatedWithItsBody() async throws {
        try await withBench(script: [Self.challenge(.sha256), .good]) { bench in
            var credentials = Self.digest
            credentials.postBody = Array("kind=iso".utf8)
            let outcome = await bench.attempt(try bench.assignment(credentials: credentials))

            #expect(bench.holds(outcome.file))
            let last = try #require(bench.origin.requests.last)
            #expect(last.method == "POST" && last.body == Array("kind=iso".utf8))
            #expect(Self.isProof(last, .sha256))
        }
    }

    @Test(
        arguments: [
            .basic(username: "me", password: "secret"), .digest(username: "me", password: "secret"),
            .bearer(token: "secret"),
        ] as [OriginAuthentication]
    )
    func anotherOriginIsToldNothing(_ authentication: OriginAuthentication) async throws {
        let other = Origin(script: [Self.challenge(.md5)])
        defer { other.stop() }
        try await withBench(script: [.redirect(to: other.url("/x"))]) { bench in
            let credentials = RequestCredentials(authentication: authentication)
            let outcome = await bench.attempt(try bench.assignment(credentials: credentials))

            #expect(outcome.errorCode == .authRequired)
            #expect(other.requests.count == 1)
            #expect(other.requests[0].value(of: "authorization") == nil)
        }
    }
}
