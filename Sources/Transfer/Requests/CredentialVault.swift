public import Core
import Crypto
import FoundationEssentials
public import TransferRules

/// Encrypts the credentials of clients, so that the database alone does not reveal them.
///
/// Uses AES-256 in Galois/Counter Mode (NIST SP 800-38D) with a new nonce for each call.
public struct CredentialVault: Sendable {
    private let key: SymmetricKey
    /// The key that derives the nonces of deterministic encryption.
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

    /// Encrypts all credentials that a client gave for one download.
    public func seal(_ credentials: RequestCredentials) -> SealedCredentials {
        SealedCredentials(bytes: seal(bytes: CredentialCoder.encode(credentials)))
    }

    /// Decrypts credentials; nil if they were encrypted with another key or are damaged.
    public func open(_ sealed: SealedCredentials) -> RequestCredentials? {
        open(bytes: sealed.bytes).flatMap(CredentialCoder.decode)
    }

    /// The decrypted credentials of a request; empty if it has none.
    ///
    /// - Throws: ``UnreadableCredentials``.
    public func credentials(of request: DownloadRequest) throws(UnreadableCredentials) -> RequestCredentials {
        guard let sealed = request.credentials else { return RequestCredentials() }
        guard let credentials = open(sealed) else { throw UnreadableCredentials() }
        return credentials
    }

    /// Encrypts bytes so that equal bytes have equal results: the nonce is the first 12 bytes of their HMAC (RFC 2104).
    ///
    /// - Parameter context: The data that the bytes belong to. It is authenticated but not included in the result.
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

    /// Encrypts bytes. The result is the nonce, the ciphertext and the 16-byte tag, in this order. No two results are
    /// equal.
    public func seal(bytes: [UInt8]) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(bytes, using: key)
            guard let combined = box.combined else { preconditionFailure("a box with a nonce of 12 bytes combines") }
            return Array(combined)
        } catch {
            preconditionFailure("sealing fails for a key of the wrong size alone: \(error)")
        }
    }

    /// Decrypts the result of ``seal(bytes:)``; nil if it was encrypted with another key or is damaged.
    public func open(bytes: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: bytes) else { return nil }
        return (try? AES.GCM.open(box, using: key)).map { Array($0) }
    }
}

/// Stored credentials cannot be decrypted: the key has changed, or the bytes are damaged.
///
/// No request may be sent without them, because an origin may send another file to an anonymous client.
public struct UnreadableCredentials: Error, Hashable, Sendable {
    public init() {}

    /// The failure of an attempt with such credentials.
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

/// Encryption of the secret parts of URLs (``SealedURL``).
extension CredentialVault {
    /// Encrypts the secret part of a URL. A URL that has none or is already encrypted is returned unchanged.
    ///
    /// The nonce is derived from the secret, like a synthetic initialisation vector (RFC 5297), so equal URLs have
    /// equal encrypted texts. A reader of the database learns the visible parts and which URLs are equal.
    public func seal(_ url: DownloadURL, hiding part: SealedURL.SecretPart = .query) -> DownloadURL {
        guard let (shown, secret) = SealedURL.split(url.text, before: part) else { return url }
        let encrypted = sealDeterministically(Array(secret.utf8), context: Array(shown.utf8))
        return url.with(text: SealedURL.join(shown: shown, encrypted: Data(encrypted).base64EncodedString()))
    }

    /// Decrypts a URL. A URL that is not encrypted is returned unchanged.
    ///
    /// - Throws: ``UnreadableCredentials``.
    public func open(_ url: DownloadURL) throws(UnreadableCredentials) -> DownloadURL {
        guard let (shown, encrypted) = SealedURL.parts(of: url.text) else { return url }
        guard let data = Data(base64Encoded: String(encrypted)),
            let secret = open(bytes: Array(data), context: Array(shown.utf8))
        else { throw UnreadableCredentials() }
        return url.with(text: shown + String(decoding: secret, as: UTF8.self))
    }

    /// A copy of a download's source record with encrypted URLs.
    public func seal(_ source: Download.Source) -> Download.Source {
        var source = source
        source.finalURL = source.finalURL.map { seal($0) }
        source.url = source.url.map { seal($0) }
        source.mirrors = source.mirrors.map { seal($0) }
        return source
    }

    /// The download for an attempt, with decrypted URLs of its sources. Without an encrypted URL it is the same object.
    ///
    /// - Throws: ``UnreadableCredentials`` if any URL cannot be decrypted.
    package func open(_ download: Box<Download>) throws(UnreadableCredentials) -> Box<Download> {
        let (request, source) = (download.value.request, download.value.source)
        let urls = [request.url] + request.mirrors + [source.finalURL, source.url].compactMap(\.self) + source.mirrors
        guard urls.contains(where: { SealedURL.parts(of: $0.text) != nil }) else { return download }
        return Box(try open(download.value))
    }

    /// A copy of the download, with decrypted URLs of its sources.
    ///
    /// - Throws: ``UnreadableCredentials`` if any URL cannot be decrypted.
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
