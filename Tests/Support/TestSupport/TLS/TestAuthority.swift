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

/// A key on the curve P-256.
final class TestKey {
    private let raw: OpaquePointer

    init() {
        guard let raw = shim_generate_p256_key() else { preconditionFailure("no key") }
        self.raw = raw
    }

    init(pem: String) {
        let key = PEM.read(pem) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
        guard let key else { preconditionFailure("no key in the text") }
        raw = key
    }

    deinit { EVP_PKEY_free(raw) }

    func use<Value>(_ body: (OpaquePointer) -> Value) -> Value { withExtendedLifetime(self) { body(raw) } }
}

/// An X.509 certificate (RFC 5280).
final class TestCertificate {
    private let raw: OpaquePointer

    private init() {
        guard let raw = X509_new() else { preconditionFailure("no certificate") }
        self.raw = raw
    }

    init(pem: String) {
        let certificate = PEM.read(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
        guard let certificate else { preconditionFailure("no certificate in the text") }
        raw = certificate
    }

    deinit { X509_free(raw) }

    func use<Value>(_ body: (OpaquePointer) -> Value) -> Value { withExtendedLifetime(self) { body(raw) } }

    /// - Parameters:
    ///   - seconds: From when and until when it holds, counted from now.
    ///   - issuer: Who signs it; nil for itself.
    static func make(
        subject: String,
        key: TestKey,
        extensions: [(Int32, String)],
        seconds: (from: Int, to: Int),
        issuer: TestIdentity?
    ) -> TestIdentity {
        let certificate = TestCertificate()
        let authority = issuer.map { TestCertificate(pem: $0.certificate) } ?? certificate
        let signingKey = issuer.map { TestKey(pem: $0.key) } ?? key
        certificate.fill(subject, key, seconds, issuer: issuer == nil ? nil : authority)
        for (number, value) in extensions { certificate.add(number, value, authority) }
        let size = signingKey.use { X509_sign(certificate.raw, $0, EVP_sha256()) }
        precondition(size > 0, "the certificate was not signed")
        return TestIdentity(
            certificate: PEM.write { memory in certificate.use { PEM_write_bio_X509(memory, $0) } },
            key: PEM.write { memory in key.use { PEM_write_bio_PrivateKey(memory, $0, nil, nil, 0, nil, nil) } }
        )
    }

    private func fill(_ subject: String, _ key: TestKey, _ seconds: (from: Int, to: Int), issuer: TestCertificate?) {
        // Version 3, which is written as 2.
        X509_set_version(raw, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(raw), .random(in: 1...Int.max))
        X509_gmtime_adj(X509_getm_notBefore(raw), seconds.from)
        X509_gmtime_adj(X509_getm_notAfter(raw), seconds.to)
        _ = key.use { X509_set_pubkey(raw, $0) }
        X509_NAME_add_entry_by_txt(X509_get_subject_name(raw), "CN", MBSTRING_ASC, subject, -1, -1, 0)
        X509_set_issuer_name(raw, X509_get_subject_name(issuer?.raw ?? raw))
    }

    private func add(_ number: Int32, _ value: String, _ issuer: TestCertificate) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer.raw, raw, nil, nil, 0)
        let made = X509V3_EXT_conf_nid(nil, &context, number, value)
        precondition(made != nil && X509_add_ext(raw, made, -1) == 1, "no extension \(value)")
        X509_EXTENSION_free(made)
    }
}

/// OpenSSL's values as texts (RFC 7468).
enum PEM {
    static func read(_ text: String, _ body: (OpaquePointer?) -> OpaquePointer?) -> OpaquePointer? {
        let memory = BIO_new(BIO_s_mem())
        defer { BIO_free(memory) }
        BIO_write(memory, text, Int32(text.utf8.count))
        return body(memory)
    }

    static func write(_ body: (OpaquePointer?) -> Int32) -> String {
        guard let memory = BIO_new(BIO_s_mem()) else { preconditionFailure("no memory") }
        defer { BIO_free(memory) }
        precondition(body(memory) == 1, "it cannot be written")
        return String(decoding: memory.readAll(), as: UTF8.self)
    }
}

extension OpaquePointer {
    /// All bytes that lie in a BIO in memory, which are taken out of it.
    func readAll() -> [UInt8] {
        let size = shim_pending(self)
        guard size > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = Int(max(0, BIO_read(self, buffer.baseAddress, Int32(size))))
        }
    }
}

/// A certificate and its key, both as PEM.
public struct TestIdentity: Hashable, Sendable {
    public let certificate: String
    public let key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
