import Crypto
public import Model

/// Seals what a client gave for the origin's eyes, so that the database alone does not give it away.
///
/// AES-256 in Galois/Counter Mode (NIST SP 800-38D), with a nonce of its own for each sealing.
public struct CredentialVault: Sendable {
    private let key: SymmetricKey
    /// Derives the nonces of what is sealed so that equal texts stay equal.
    private let nonceKey: SymmetricKey

    /// - Parameter key: 32 bytes.
    public init(key: [UInt8]) {
        precondition(key.count == 32, "AES-256 takes a key of 32 bytes")
        self.key = SymmetricKey(data: key)
        nonceKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: self.key,
            info: Array("cormorant url nonce".utf8),
            outputByteCount: 32
        )
    }

    /// Seals all that a client gave for one download.
    public func seal(_ credentials: RequestCredentials) -> SealedCredentials {
        SealedCredentials(bytes: seal(bytes: CredentialCoder.encode(credentials)))
    }

    /// What was sealed, or nil where it was sealed with another key or damaged.
    public func open(_ sealed: SealedCredentials) -> RequestCredentials? {
        open(bytes: sealed.bytes).flatMap(CredentialCoder.decode)
    }

    /// What a request's client gave; nothing where it gave nothing.
    public func credentials(of request: DownloadRequest) throws(UnreadableCredentials) -> RequestCredentials {
        guard let sealed = request.credentials else { return RequestCredentials() }
        guard let credentials = open(sealed) else { throw UnreadableCredentials() }
        return credentials
    }

    /// Seals bytes so that equal ones have equal sealings: the nonce is the beginning of their HMAC (RFC 2104).
    ///
    /// - Parameter context: What the bytes belong to. It is authenticated, and not part of the result.
    func sealDeterministically(_ bytes: [UInt8], context: [UInt8]) -> [UInt8] {
        var authentication = HMAC<SHA256>(key: nonceKey)
        authentication.update(data: context + [0])
        authentication.update(data: bytes)
        do {
            let nonce = try AES.GCM.Nonce(data: Array(authentication.finalize()).prefix(12))
            let box = try AES.GCM.seal(bytes, using: key, nonce: nonce, authenticating: context)
            guard let combined = box.combined else { preconditionFailure("a box with a nonce of 12 bytes combines") }
            return Array(combined)
        } catch {
            preconditionFailure("sealing fails for a key or nonce of the wrong size alone: \(error)")
        }
    }

    /// What ``sealDeterministically(_:context:)`` sealed; nil where it was sealed with another key or is damaged.
    func open(bytes: [UInt8], context: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: bytes) else { return nil }
        return (try? AES.GCM.open(box, using: key, authenticating: context)).map { Array($0) }
    }

    /// Seals any bytes: the nonce, the cipher text and the tag of 16 bytes, in this order. No two
    /// sealings are the same.
    public func seal(bytes: [UInt8]) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(bytes, using: key)
            guard let combined = box.combined else { preconditionFailure("a box with a nonce of 12 bytes combines") }
            return Array(combined)
        } catch {
            preconditionFailure("sealing fails for a key of the wrong size alone: \(error)")
        }
    }

    /// What was sealed, or nil where it was sealed with another key or damaged.
    public func open(bytes: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: bytes) else { return nil }
        return (try? AES.GCM.open(box, using: key)).map { Array($0) }
    }
}

/// What was sealed cannot be opened: the key is another one by now, or the bytes are damaged.
///
/// The download must not be asked for without it: an origin may answer everyone, but not the same.
public struct UnreadableCredentials: Error, Hashable, Sendable {
    public init() {}

    /// What an attempt at such a download fails with.
    public var failure: TransferFailure {
        TransferFailure(
            DownloadError(
                .authRequired,
                message: "The credentials cannot be read with the service's present key. Give them anew."
            ),
            failureClass: .credentials
        )
    }
}
