public import Core

/// The common rules of FTP and SFTP: a file is one stream, and only its size and time identify a version
/// (``FileResponseValidation``).
public protocol FileServerScheme: SourceScheme {}

extension FileServerScheme {
    public var abilities: SchemeAbilities { .fileServer }

    public func plan(resuming stored: StoredState, segments: [Segment], hasDigest: Bool) -> ResumePlan {
        let trust = offsetTrust(hasDigest: hasDigest)
        return FileResponseValidation.plan(resuming: stored, at: segments.contiguousEnd, trust: trust)
    }

    public func validate(request: SentRequest, stored: StoredState, response: OriginResponse) -> ResponseDecision {
        guard let file = response.file else {
            let error = DownloadError(.badResponse, message: "The server says nothing of the file.")
            return .retry(TransferFailure(error))
        }
        return FileResponseValidation.validate(request: request, stored: stored, response: file)
    }

    public func validate(request: SentRequest, failure: TransferFailure) -> ResponseDecision? {
        FileResponseValidation.validate(request: request, failure: failure)
    }

    public func finalFailure(_ failure: TransferFailure, hasBytes: Bool) -> TransferFailure {
        FileResponseValidation.finalFailure(failure, hasBytes: hasBytes)
    }
}

/// FTP, plain or over TLS. A server may accept REST (RFC 3659, section 5) and still send from byte 0.
public struct FTPScheme: FileServerScheme {
    private let isOverTLS: Bool

    public init(isOverTLS: Bool) {
        self.isOverTLS = isOverTLS
    }

    public func offsetTrust(hasDigest: Bool) -> ResumeOffsetTrust {
        if hasDigest { return .full }
        return isOverTLS ? .never : .atEnd
    }
}

/// SFTP: each read names its offset, so the place of each byte is known.
public struct SFTPScheme: FileServerScheme {
    public init() {}

    public var abilities: SchemeAbilities {
        var abilities = SchemeAbilities.fileServer
        abilities.needsKnownHosts = true
        return abilities
    }

    public func offsetTrust(hasDigest: Bool) -> ResumeOffsetTrust { .full }
}

extension SchemeAbilities {
    static let fileServer: Self = {
        var abilities = Self()
        abilities.segments = false
        abilities.mirrors = false
        abilities.redirects = false
        abilities.headerFields = false
        abilities.proxies = false
        abilities.confirmsEnd = true
        abilities.rechecksJoinedFile = true
        abilities.blocksThread = true
        // It includes the login, before which many servers look up the client's name.
        abilities.connectTimeout = .seconds(30)
        return abilities
    }()
}
