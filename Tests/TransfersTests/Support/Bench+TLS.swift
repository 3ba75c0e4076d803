import TestSupport
@testable import Transfer

/// Whom the engines of these benches trust.
let trustedAuthority = TestAuthority()

/// A bench whose origin speaks TLS.
func withTLSBench(
    _ content: Content = Content(size: 1000),
    script: [Behaviour] = [.good],
    tls: TLSServer = TLSServer(trustedAuthority.issue()),
    settings: Change<EngineSettings> = .nothing,
    runsByItself: Bool = false,
    _ body: (Bench) async throws -> Void
) async throws {
    let folder = TemporaryFolder()
    folder.write(trustedAuthority.certificate, to: "authority.pem")
    let trusting = Change<EngineSettings>.change {
        $0.certificateAuthorityFile = folder("authority.pem")
        settings.apply(&$0)
    }
    try await withBench(content, script: script, tls: tls, settings: trusting, runsByItself: runsByItself, body)
    withExtendedLifetime(folder) {}
}
