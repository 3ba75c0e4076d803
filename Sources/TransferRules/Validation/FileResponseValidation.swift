import Core
public import HTTPFields

/// Plans requests to FTP and SFTP servers, and validates responses before a byte is received.
///
/// A transfer resumes at byte n if the size and the time of the file are the stored ones; otherwise it restarts. It is
/// one stream from n to the end, because no condition could guard several.
public enum FileResponseValidation {
    /// What to ask for next.
    ///
    /// - Parameters:
    ///   - position: The offset of the next byte, after all stored bytes; otherwise the file is requested whole. If
    ///     every byte is stored, only size and time are requested.
    ///   - trust: How far the server is trusted to begin there.
    public static func plan(resuming stored: StoredState, at position: Int64, trust: ResumeOffsetTrust) -> ResumePlan {
        guard position > 0, position == stored.durableBytes, !stored.hostHasNoRanges,
            let validator = stored.validator, case .date = validator.strength,
            let total = validator.total, position <= total, trust != .never || position == total
        else { return .plain }
        return .range(from: position, through: nil, condition: .none(overlap: 0))
    }

    /// Decides what to do with the answer to `request`.
    public static func validate(request: SentRequest, stored: StoredState, response: FileResponse) -> ResponseDecision {
        guard let range = request.range else { return whole(stored, response) }
        guard let known = stored.validator, let size = response.size, response.modifiedAt != nil else {
            return .restart(.validatorMissing, withThisBody: nil)
        }
        if let reason = difference(of: response, from: known) { return .restart(reason, withThisBody: nil) }
        if range.first == size { return .alreadyComplete }
        let acceptance = AcceptedBody(
            writeOffset: range.first,
            expectedLength: size - range.first,
            total: size,
            validator: known,
            isLengthProvable: true
        )
        return .accept(acceptance)
    }

    /// What a failure says about the file, for a request that resumed at a byte; nil otherwise.
    public static func validate(request: SentRequest, failure: TransferFailure) -> ResponseDecision? {
        guard request.range != nil else { return nil }
        switch failure.error.transportCode {
        // CURLE_BAD_DOWNLOAD_RESUME: the file ends before that byte.
        case 36: return .restart(.totalChanged, withThisBody: nil)
        // CURLE_FTP_COULDNT_USE_REST.
        case 31: return .requestWithoutRange(.rangeNotSatisfiable, flagsHost: true)
        default: return nil
        }
    }

    /// A refused login ends the download as a 401 does, unless there are bytes to keep for better credentials.
    public static func finalFailure(_ failure: TransferFailure, hasBytes: Bool) -> TransferFailure {
        guard failure.failureClass == .credentials, !hasBytes else { return failure }
        return TransferFailure(failure.error, failureClass: .permanent)
    }

    private static func whole(_ stored: StoredState, _ response: FileResponse) -> ResponseDecision {
        // A file that had bytes never becomes complete by an empty answer.
        if response.size == 0, max(stored.total ?? 0, stored.durableBytes) > 0 {
            let error = DownloadError(.badResponse, message: "The server states that the file is empty.")
            return .retry(TransferFailure(error, failureClass: .transient(.tries(2))))
        }
        let acceptance = AcceptedBody(
            writeOffset: 0,
            expectedLength: response.size,
            total: response.size,
            validator: response.validator,
            // A body without a size ends with the server's word that it was all (226, or SFTP's end of file), unless
            // libcurl stops before.
            isLengthProvable: response.isEndProvable
        )
        guard stored.hasBytes else { return .accept(acceptance) }
        let reason = stored.validator.flatMap { difference(of: response, from: $0) }
        return .restart(reason ?? .notResumable, withThisBody: acceptance)
    }

    private static func difference(of response: FileResponse, from known: Validator) -> RestartReason? {
        if let total = known.total, let size = response.size, total != size { return .totalChanged }
        if let date = known.lastModified, let modifiedAt = response.modifiedAt, date != modifiedAt {
            return .lastModifiedChanged
        }
        return nil
    }
}

/// What an FTP server (RFC 959, with SIZE and MDTM of RFC 3659) or SFTP server states about a file before its first
/// byte.
///
/// There is no tag, and a request can have no condition: only size and time identify a version.
public struct FileResponse: Hashable, Sendable {
    /// The size of the whole file; nil if the server does not state it.
    public var size: Int64?
    /// When the file last changed, by the server's clock; nil if the server does not state it.
    public var modifiedAt: HTTPDate?
    /// When it came, by this machine's clock.
    public var receivedAt: HTTPDate
    /// Whether the end of the body is known to be that of the file.
    public var isEndProvable: Bool

    public init(size: Int64?, modifiedAt: HTTPDate?, receivedAt: HTTPDate, isEndProvable: Bool = true) {
        self.size = size
        self.modifiedAt = modifiedAt
        self.receivedAt = receivedAt
        self.isEndProvable = isEndProvable
    }

    /// Times have a resolution of one second, so that a file which has just changed may do so again unseen: as with
    /// HTTP, a time is strong once it is a minute old.
    var validator: Validator {
        let age = modifiedAt.map { receivedAt.seconds(since: $0) }
        return Validator(
            lastModified: modifiedAt,
            isLastModifiedStrong: age.map { $0 >= Validator.strongDateAgeSeconds } ?? false,
            total: size
        )
    }
}

/// How far an FTP or SFTP server is trusted to begin at the requested byte.
///
/// FTP's REST (RFC 3659, section 5) is agreed to beforehand, and some servers then send from the start all the same: as
/// many bytes as are missing come, and they are others.
public enum ResumeOffsetTrust: Hashable, Sendable {
    /// The offset of each byte is known (SFTP), or a digest will verify the whole file.
    case full
    /// The end shows it: a server that began elsewhere has more to send. Nothing counts before it.
    case atEnd
    /// Nothing shows it: over TLS libcurl reads no further than it has to.
    case never
}
