import Core
import Curl
import HTTPFields
import Linux
import TransferRules

extension TransferFailure {
    /// Maps a libcurl error to a failure.
    init(_ error: CurlError, stage: Stage, nameDoesNotExist: Bool = false) {
        switch error.code {
        case .destinationRefused:
            self.init(
                DownloadError(.destinationForbidden, message: "The destination's address is not allowed.")
            )
        case .dataDestinationRefused:
            // The server chooses a new data port for each transfer, and may choose the port of another service.
            self.init(
                DownloadError(.destinationForbidden, message: "The server's data port is not allowed."),
                failureClass: .transient(.retries(3))
            )
        case .headTooLarge, .headMalformed, .lengthMalformed, .transferCodingRefused, .chunkMalformed,
            .lengthBesideChunks:
            self.init(ofResponse: error.code)
        case .headTimeout:
            self.init(DownloadError(.timeout, message: "The origin did not answer in time."))
        case .connectionSpoilt:
            self.init(DownloadError(.connectFailed, message: "The connection was lost."))
        case .sinkStopped, .aborted:
            self.init(DownloadError(.internal, message: "The transfer was stopped."))
        case .uploadTruncated, .uploadUnreadable, .uploadIncomplete:
            // No download uploads.
            self.init(DownloadError(.internal, message: "The body of a request could not be sent."))
        case .badHeader:
            self.init(
                DownloadError(.internal, message: "A header field cannot be sent."),
                failureClass: .permanent
            )
        case .hostKeyRejected:
            self.init(
                DownloadError(.hostKeyRejected, message: error.message)
            )
        case .bodyTooLong:
            self = .longerThanTold
        case .endNotSeen:
            self = .endNotSeen
        case .outOfResources:
            self.init(DownloadError(.connectFailed, message: "The process has no free thread or file descriptor."))
        case .curl(let code):
            self.init(error, Int(code), stage: stage, nameDoesNotExist: nameDoesNotExist)
        }
    }

    /// The failure of a response that is not valid HTTP.
    private init(ofResponse fault: CurlError.Code) {
        let message =
            switch fault {
            case .headTooLarge: "The head of the response is too large."
            case .lengthMalformed: "The response's Content-Length is not valid."
            case .transferCodingRefused: "The response has a transfer coding that was not requested."
            case .chunkMalformed: "The chunks of the body are not valid HTTP."
            case .lengthBesideChunks: "The response has a Content-Length of 0 beside chunks."
            default: "The head of the response is not valid HTTP."
            }
        let failureClass: FailureClass? = fault == .transferCodingRefused ? .transient(.retries(1)) : nil
        self.init(DownloadError(.badResponse, message: message), failureClass: failureClass)
    }

    /// - Parameter code: The `CURLcode` of `error`.
    private init(_ error: CurlError, _ code: Int, stage: Stage, nameDoesNotExist: Bool) {
        let kind = CurlResultClass(code: code)
        if kind == .unsupported {
            // The URL's scheme was checked before. libcurl therefore refuses a response without a status line
            // (HTTP/0.9).
            self.init(DownloadError(.badResponse, message: "The response is not valid HTTP.", curlCode: code))
        } else if error.isTooManyRequests {
            self = .tooManyRequests
        } else if [.tlsInterrupted, .tlsRefused].contains(kind), let fault = error.tlsFault {
            self.init(fault, code: code)
        } else if kind == .transferFailed, !error.isOfFileServer {
            let message = "The transfer failed with code \(code) of libcurl: \(error.message)"
            self.init(DownloadError(.transferFailed, message: message, curlCode: code))
        } else if kind == .sshFailed, !error.message.isEmpty {
            let message = "The SSH connection failed: \(error.message)"
            self.init(DownloadError(.connectFailed, message: message, curlCode: code))
            isAfterLogin = error.hasSentRequest
        } else if let reply = error.ftpReply, let failure = Self(curlCode: code, ftpReply: reply) {
            self = failure
        } else {
            self.init(
                curlCode: code,
                stage: stage,
                nameDoesNotExist: nameDoesNotExist,
                isOfFileServer: error.isOfFileServer
            )
            isOverHTTP2 = error.isOverHTTP2
        }
    }

    /// Maps a failed system call on the part file or its folder. Usually the operator must fix the cause, and all
    /// downloads wait until then.
    init(_ error: SystemError) {
        if error.isOutOfSpace {
            self.init(DownloadError(.diskFull, message: "The disk is full."))
        } else if error.isFileTooLarge {
            self.init(
                DownloadError(.ioError, message: "The file is too large for the file system."),
                failureClass: .permanent
            )
        } else if error.isOutOfDescriptors {
            self.init(
                DownloadError(.ioError, message: "The process has no free file descriptor."),
                failureClass: .transient(.untilGivenUp)
            )
        } else {
            self.init(DownloadError(.ioError, message: "A call on the disk failed: \(error.message)."))
        }
    }

    /// Maps a failed system call on the folder of the finished file, which the client named. A retry does not help if
    /// the path is not a folder, is on another file system or is not writable. It may help if the device failed.
    init(destination error: SystemError) {
        let mayPass =
            error.isOutOfSpace || error.isOutOfDescriptors || error.isMissing
            || (error.isInputOutput && !error.isReadOnly)
        guard !mayPass else {
            self.init(error)
            return
        }
        let reason =
            error.isLink
            ? "it is behind a link, and links are not followed; name the folder in `roots`" : error.message
        self.init(
            DownloadError(.ioError, message: "The file cannot be put into its folder: \(reason)."),
            failureClass: .permanent
        )
    }
}

extension CurlError {
    /// Whether the connection was lost while a request was sent or a response received.
    var isLostConnection: Bool {
        guard case .curl(let code) = code else { return false }
        return [.lostSending, .lostReceiving].contains(CurlResultClass(code: Int(code)))
    }
}

extension TransferFailure {
    /// Maps a name that resolves to a forbidden address to the failure of a name that does not exist.
    ///
    /// With a distinct failure a client could find out which names exist in the service's network (OWASP, SSRF
    /// prevention). A literal address in the URL reveals nothing, so the result is nil for it.
    ///
    /// - Parameter isChecked: Whether the caller queries the resolver for names that did not resolve.
    init?(hiding error: CurlError, host: String, isChecked: Bool) {
        guard error.code == .destinationRefused, IPAddress(urlHost: host) == nil else { return nil }
        self.init(curlCode: 6, stage: .header, nameDoesNotExist: isChecked)
        cause = "\(DownloadError.Code.destinationForbidden.rawValue): \(host) has an address that is not allowed"
    }

    /// Maps an error that occurred before the response.
    ///
    /// - Parameter name: The result of the DNS check of the host name.
    init(beforeResponse error: CurlError, host: String, _ name: HostNameCheck.Outcome) {
        // A name with a forbidden address must look like a name that does not exist.
        self =
            TransferFailure(hiding: error, host: host, isChecked: name != .notChecked)
            ?? TransferFailure(error, stage: .header, nameDoesNotExist: name == .unknown)
    }

    /// `ENHANCE_YOUR_CALM` (RFC 9113, section 7) contains no delay, so it is treated as a `Retry-After` of one minute.
    private static let tooManyRequests = Self(
        DownloadError(.connectFailed, message: "The origin asks for fewer requests.", curlCode: 92),
        retryAfter: RetryAfter(seconds: 60)
    )

    /// Maps an error in a body from the host `authority`.
    init(body error: CurlError, from authority: String) {
        self.init(error, stage: .body)
        if retryAfter != nil { self.authority = authority }
    }

    /// The same failure, with the host that sent the response.
    func by(host url: DownloadURL) -> Self {
        var failure = self
        failure.authority = url.authority
        return failure
    }
}

/// Runs `body` and maps its system errors to interruptions.
func mappingDiskErrors<Value>(_ body: () async throws(SystemError) -> Value) async throws(AttemptInterruption) -> Value
{
    do {
        return try await body()
    } catch {
        throw .failed(TransferFailure(error))
    }
}

/// Runs `body`, a call on the folder of the finished file, and maps its system errors to interruptions.
func mappingDestinationErrors<Value>(
    _ body: () async throws(SystemError) -> Value
) async throws(AttemptInterruption) -> Value {
    do {
        return try await body()
    } catch {
        throw .failed(TransferFailure(destination: error))
    }
}

/// Runs a call to the checkpoint sink and maps its errors to interruptions that end the attempt.
func mappingSinkErrors<Value>(
    _ body: () async throws -> FencedResult<Value>
) async throws(AttemptInterruption) -> Value {
    do {
        switch try await body() {
        case .done(let value): return value
        case .lost: throw AttemptInterruption.lost
        }
    } catch let interruption as AttemptInterruption {
        throw interruption
    } catch {
        // Bytes without a durable record do not count as progress.
        throw .unrecorded(error)
    }
}
