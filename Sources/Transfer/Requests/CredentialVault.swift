public import Core
import Crypto
import FoundationEssentials
public import TransferRules

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

    /// Decrypts; nil if it was encrypted with another key or is damaged.
    public func open(_ sealed: SealedCredentials) -> RequestCredentials? {
        open(bytes: sealed.bytes).flatMap(CredentialCoder.decode)
    }

    /// The decrypted credentials of a request; empty if it has none.
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

    /// Decrypts the result of ``sealDeterministically(_:context:)``; nil if it was encrypted with another key or is
    /// damaged.
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

    /// Decrypts; nil if it was encrypted with another key or is damaged.
    public func open(bytes: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: bytes) else { return nil }
        return (try? AES.GCM.open(box, using: key)).map { Array($0) }
    }
}

/// What was sealed cannot be opened: the key is another one by now, or the bytes are damaged.
///
/// No request may be made without it: an origin may send another file to a client without credentials.
public struct UnreadableCredentials: Error, Hashable, Sendable {
    public init() {}

    /// What an attempt at such a download fails with.
    public var failure: TransferFailure {
        TransferFailure(
            DownloadError(
                .authRequired,
                message: "The stored credentials cannot be decrypted with the current key. Give them again."
            ),
            failureClass: .credentials
        )
    }
}

/// URLs whose secret parts are encrypted (``SealedURL``).
extension CredentialVault {
    /// Encrypts the secret part of a URL; one without such a part, or a sealed one, stays as it is.
    ///
    /// The nonce is derived from the secret (as a synthetic initialisation vector is, RFC 5297), so that equal URLs
    /// have equal sealed texts. An observer of the database learns which URLs are equal, and nothing else.
    public func seal(_ url: DownloadURL, hiding part: SealedURL.SecretPart = .query) -> DownloadURL {
        guard let (shown, secret) = SealedURL.split(url.text, before: part) else { return url }
        let encrypted = sealDeterministically(Array(secret.utf8), context: Array(shown.utf8))
        return url.with(text: SealedURL.join(shown: shown, encrypted: Data(encrypted).base64EncodedString()))
    }

    /// The URL that was sealed; an open one stays as it is.
    public func open(_ url: DownloadURL) throws(UnreadableCredentials) -> DownloadURL {
        guard let (shown, encrypted) = SealedURL.parts(of: url.text) else { return url }
        guard let data = Data(base64Encoded: String(encrypted)),
            let secret = open(bytes: Array(data), context: Array(shown.utf8))
        else { throw UnreadableCredentials() }
        return url.with(text: shown + String(decoding: secret, as: UTF8.self))
    }

    /// What an attempt learned of its sources, with all URLs sealed.
    public func seal(_ source: Download.Source) -> Download.Source {
        var source = source
        source.finalURL = source.finalURL.map { seal($0) }
        source.url = source.url.map { seal($0) }
        source.mirrors = source.mirrors.map { seal($0) }
        return source
    }

    /// A download as its attempt needs it: with all URLs open that are asked for the file.
    public func open(_ download: Download) throws(UnreadableCredentials) -> Download {
        var download = download
        var request = download.request
        request.url = try open(request.url)
        request.mirrors = try openAll(request.mirrors)
        download.request = request
        var source = download.source
        source.finalURL = try openOptional(source.finalURL)
        source.url = try openOptional(source.url)
        source.mirrors = try openAll(source.mirrors)
        download.source = source
        return download
    }

    private func openOptional(_ url: DownloadURL?) throws(UnreadableCredentials) -> DownloadURL? {
        guard let url else { return nil }
        return try open(url)
    }

    private func openAll(_ urls: [DownloadURL]) throws(UnreadableCredentials) -> [DownloadURL] {
        try urls.map { (url) throws(UnreadableCredentials) in try open(url) }
    }
}
