import COpenSSL

/// A certificate authority of one test's own: made at run time and valid for an hour, so that nothing of it is kept.
public struct TestAuthority: Sendable {
    /// When a certificate holds, in seconds from now.
    public enum Validity: Hashable, Sendable {
        case now
        case expired
        case later

        fileprivate var seconds: (from: Int, to: Int) {
            switch self {
            case .now: (-3600, 3600)
            case .expired: (-7200, -3600)
            case .later: (3600, 7200)
            }
        }
    }

    private let identity: TestIdentity

    public init() {
        let key = TestKey()
        identity = TestCertificate.make(
            // A name of its own: one whose signature alone is another authority's is a broken one.
            subject: "Cormorant test authority \(UInt64.random(in: 0 ... .max))",
            key: key,
            extensions: [(NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign")],
            seconds: Validity.now.seconds,
            issuer: nil
        )
    }

    /// Its own certificate, as PEM.
    public var certificate: String { identity.certificate }

    /// - Parameter names: As in a certificate's alternative names: `IP:127.0.0.1`, `DNS:files.example`.
    public func issue(_ names: [String] = ["IP:127.0.0.1"], _ validity: Validity = .now) -> TestIdentity {
        TestCertificate.make(
            subject: "Cormorant test",
            key: TestKey(),
            extensions: [(NID_subject_alt_name, names.joined(separator: ","))],
            seconds: validity.seconds,
            issuer: identity
        )
    }
}
