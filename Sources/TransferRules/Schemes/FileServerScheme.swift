public import Core

/// What FTP and SFTP have in common: a file is one stream, told from another by its size and time alone
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

/// FTP, plain or over TLS. A server agrees to REST (RFC 3659, section 5) and may send from the start all the same.
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

/// SFTP: each byte comes with its place.
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
        // The login is part of it, before which many a server looks up the client's name.
        abilities.connectTimeout = .seconds(30)
        return abilities
    }()
}
