import Crypto
public import Model

/// Seals what a client gave for the origin's eyes, so that the database alone does not give it away.
///
/// AES-256 in Galois/Counter Mode (NIST SP 800-38D), with a nonce of its own for each sealing.
public struct CredentialVault: Sendable {
    private let key: SymmetricKey

    /// - Parameter key: 32 bytes.
    public init(key: [UInt8]) {
        precondition(key.count == 32, "AES-256 takes a key of 32 bytes")
        self.key = SymmetricKey(data: key)
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

/// Credentials as bytes: texts in UTF-8, each with its length in four bytes, the highest first, before it.
///
/// The first two are user and password: `=` and the text, or nothing where there is none. Name and value of each header
/// follow.
enum CredentialCoder {
    static func encode(_ credentials: RequestCredentials) -> [UInt8] {
        let texts =
            [credentials.user, credentials.password].map { $0.map { "=\($0)" } ?? "" }
            + credentials.headers.flatMap { [$0.name, $0.value] }
        return texts.flatMap { text in
            let bytes = Array(text.utf8)
            return withLength(bytes)
        }
    }

    private static func withLength(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt32(bytes.count)
        return [UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)] + bytes
    }

    static func decode(_ bytes: [UInt8]) -> RequestCredentials? {
        var texts: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= count else { return nil }
            texts.append(String(decoding: rest.prefix(count), as: UTF8.self))
            rest = rest.dropFirst(count)
        }
        guard texts.count >= 2, texts.count.isMultiple(of: 2) else { return nil }
        let info = texts.prefix(2).map { $0.isEmpty ? nil : String($0.dropFirst()) }
        let headers = stride(from: 2, to: texts.count, by: 2).map {
            RequestCredentials.Header(name: texts[$0], value: texts[$0 + 1])
        }
        return RequestCredentials(headers: headers, user: info[0], password: info[1])
    }
}
