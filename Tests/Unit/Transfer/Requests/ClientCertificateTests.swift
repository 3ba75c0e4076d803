import Core
import Curl
import TestSupport
import Testing
import TransferRules

@testable import Transfer

/// Origins that ask for a certificate.
struct ClientCertificateTests {
    private static let clientAuthority = TestAuthority()

    /// - Parameter host: Whom the certificate is for; nil for none at all.
    private func attempt(
        _ identity: TestIdentity?,
        host: String = "127.0.0.1",
        version: TLSServer.Version = .tls13,
        script: [Behaviour] = [.good],
        isOneFile: Bool = false,
        _ check: (Bench, AttemptOutcome) throws -> Void
    ) async throws {
        try await withServer(identity, host: host, version: version, script: script, isOneFile: isOneFile) { bench in
            try check(bench, await bench.attempt(try bench.assignment()))
        }
    }

    private func withServer(
        _ identity: TestIdentity?,
        host: String = "127.0.0.1",
        version: TLSServer.Version = .tls13,
        script: [Behaviour] = [.good],
        isOneFile: Bool = false,
        _ body: (Bench) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        folder.write(identity.map { isOneFile ? $0.certificate + $0.key : $0.certificate } ?? "", to: "client.pem")
        folder.write(identity?.key ?? "", to: "client.key")
        let files = isOneFile ? folder("client.pem") : "\(folder("client.pem")):\(folder("client.key"))"
        let rules = identity == nil ? [] : [try #require(ClientCertificate("\(host)=\(files)"))]
        let server = TLSServer(
            trustedAuthority.issue(),
            versions: version...version,
            clientAuthority: Self.clientAuthority
        )
        let settings = Change<EngineSettings>.change { $0.clientCertificates = rules }
        try await withTLSBench(script: script, tls: server, settings: settings, body)
        // Its files are read until here.
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [TLSServer.Version.tls12, .tls13], [true, false])
    func theRightOneBringsTheFile(version: TLSServer.Version, isOneFile: Bool) async throws {
        try await attempt(Self.clientAuthority.issue(), version: version, isOneFile: isOneFile) { bench, outcome in
            #expect(outcome.failure == nil)
            #expect(bench.holds(outcome.file))
        }
    }

    @Test func withoutOneTheDownloadFailsForGood() async throws {
        try await attempt(nil) { bench, outcome in
            #expect(outcome.errorCode == .tlsFailed)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(outcome.failure?.error.curlCode == 98)
            #expect(bench.origin.requests.isEmpty)
        }
    }

    @Test func anOlderVersionOfTLSDoesNotSayWhatWasMissing() async throws {
        try await attempt(nil, version: .tls12) { bench, outcome in
            #expect(outcome.errorCode == .tlsFailed)
            #expect(bench.origin.requests.isEmpty)
        }
    }

    @Test func theRefreshServerReceivesTheClientCertificateToo() async throws {
        try await withServer(Self.clientAuthority.issue()) { bench in
            let url = try GivenURL(parsing: bench.origin.url("/fresh")).url
            let request = URLRefreshRequest(url: url, body: [], signature: [], reason: .authRequired)
            let reply = await bench.engine.requestRefreshedURL(request, log: nil) { $0.count }

            guard case .given = reply else {
                Issue.record("\(reply)")
                return
            }
        }
    }

    @Test(arguments: [TLSServer.Version.tls12, .tls13])
    func aCertificateOfAnotherAuthorityIsRefused(version: TLSServer.Version) async throws {
        try await attempt(TestAuthority().issue(), version: version) { bench, outcome in
            #expect(outcome.errorCode == .tlsFailed)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(bench.origin.requests.isEmpty)
        }
    }

    @Test func anotherHostIsNotShownIt() async throws {
        try await attempt(Self.clientAuthority.issue(), host: "files.example") { bench, outcome in
            #expect(outcome.errorCode == .tlsFailed)
            #expect(bench.origin.requests.isEmpty)
        }
    }

    @Test func aKeyThatBelongsToAnotherCertificateIsAFailureForGood() async throws {
        let mixed = TestIdentity(
            certificate: Self.clientAuthority.issue().certificate,
            key: Self.clientAuthority.issue().key
        )
        try await attempt(mixed) { bench, outcome in
            #expect(outcome.errorCode == .tlsFailed)
            #expect(outcome.failure?.failureClass == .permanent)
        }
    }
}
