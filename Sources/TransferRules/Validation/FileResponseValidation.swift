import Core
import HTTPFields

/// Plans requests to FTP and SFTP servers, and validates responses before the first byte is received.
///
/// A transfer resumes at byte n if the file's size and time equal the stored ones; otherwise it restarts. It is a
/// single stream from n to the end, because there are no conditions to guard several requests.
public enum FileResponseValidation {
    /// Plans the next request.
    ///
    /// - Parameters:
    ///   - position: The offset of the next byte. It must follow all stored bytes; otherwise the whole file is
    ///     requested. If every byte is stored, only size and time are requested.
    ///   - trust: Whether the server can be trusted to begin at that offset.
    public static func plan(resuming stored: StoredState, at position: Int64, trust: ResumeOffsetTrust) -> ResumePlan {
        guard position > 0, position == stored.durableBytes, !stored.hostHasNoRanges,
            let validator = stored.validator, case .date = validator.strength,
            let total = validator.total, position <= total, trust != .never || position == total
        else { return .plain }
        return .range(from: position, through: nil, condition: .none(overlap: 0))
    }

    /// Decides how to proceed with the response to `request`.
    public static func validate(request: SentRequest, stored: StoredState, response: FileResponse) -> ResponseDecision {
        guard let range = request.range else {
            if request.known?.isDescribed(by: response) == true { return .notModified }
            return whole(stored, response)
        }
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

    /// The conclusion about the file from a failed request that resumed; nil for other requests and failures.
    public static func validate(request: SentRequest, failure: TransferFailure) -> ResponseDecision? {
        guard request.range != nil else { return nil }
        switch failure.error.curlCode {
        // CURLE_BAD_DOWNLOAD_RESUME: the file is shorter than the offset.
        case 36: return .restart(.totalChanged, withThisBody: nil)
        // CURLE_FTP_COULDNT_USE_REST.
        case 31: return .requestWithoutRange(.rangeNotSatisfiable, flagsHost: true)
        default: return nil
        }
    }

    /// Without stored bytes, a refused login ends the download, as a 401 does. With stored bytes, the download waits
    /// for other credentials.
    public static func finalFailure(_ failure: TransferFailure, hasBytes: Bool) -> TransferFailure {
        guard failure.failureClass == .credentials, !hasBytes else { return failure }
        return TransferFailure(failure.error, failureClass: .permanent)
    }

    private static func whole(_ stored: StoredState, _ response: FileResponse) -> ResponseDecision {
        // An empty response must not complete a file that had bytes before.
        if response.size == 0, max(stored.total ?? 0, stored.durableBytes) > 0 {
            let error = DownloadError(.badResponse, message: "The server states that the file is empty.")
            return .retry(TransferFailure(error, failureClass: .transient(.retries(2))))
        }
        let acceptance = AcceptedBody(
            writeOffset: 0,
            expectedLength: response.size,
            total: response.size,
            validator: response.validator,
            // Without a size, the server confirms the end of the body (reply 226, or SFTP's end of file), unless
            // libcurl stops earlier.
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

/// Whether an FTP or SFTP server can be trusted to begin at the requested byte.
///
/// FTP servers accept REST (RFC 3659, section 5) before the transfer, and some send from byte 0 nevertheless. The
/// client then receives as many bytes as are missing, but the wrong ones.
public enum ResumeOffsetTrust: Hashable, Sendable {
    /// The offset of each byte is known (SFTP), or a digest will verify the file.
    case full
    /// The end proves it: a server that began elsewhere sends more bytes. Until then no byte counts.
    case atEnd
    /// Nothing proves it: over TLS libcurl does not read past the expected end.
    case never
}
