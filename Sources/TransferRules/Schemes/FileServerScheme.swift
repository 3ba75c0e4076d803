public import Core

/// The rules that FTP and SFTP share: a file is a single stream, and only its size and time identify its version
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
            let error = DownloadError(.badResponse, message: "The server sent no data about the file.")
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

/// FTP, with or without TLS. A server may accept REST (RFC 3659, section 5) and still send the file from byte 0.
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

/// SFTP. Each read has an explicit offset, so the position of each byte is known.
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
        return abilities
    }()
}
