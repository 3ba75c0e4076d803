/// A certificate and its key, both as PEM.
public struct TestIdentity: Hashable, Sendable {
    public let certificate: String
    public let key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
