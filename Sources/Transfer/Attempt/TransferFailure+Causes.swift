import Core
import Curl
import HTTPFields
import Linux
import TransferRules

extension TransferFailure {
    /// The failure of a transfer.
    init(_ error: CurlError, stage: Stage, nameDoesNotExist: Bool = false) {
        switch error.code {
        case .destinationRefused:
            self.init(
                DownloadError(.destinationForbidden, message: "The destination's address is not allowed.")
            )
        case .dataDestinationRefused:
            // The server chooses a new port each time, sometimes that of another service.
            self.init(
                DownloadError(.destinationForbidden, message: "The server's data port is not allowed."),
                failureClass: .transient(.tries(3))
            )
        case .headTooLarge:
            self.init(DownloadError(.badResponse, message: "The head of the response is too large."))
        case .headMalformed:
            self.init(DownloadError(.badResponse, message: "The head of the response is not valid HTTP."))
        case .headTimeout:
            self.init(DownloadError(.timeout, message: "The origin did not answer in time."))
        case .connectionSpoilt:
            self.init(DownloadError(.connectFailed, message: "The connection was lost."))
        case .sinkStopped, .aborted:
            self.init(DownloadError(.internal, message: "The transfer was stopped."))
        case .badHeader:
            self.init(
                DownloadError(.internal, message: "A header field cannot be sent."),
                failureClass: .permanent
            )
        case .hostKeyRejected:
            self.init(
                DownloadError(.hostKeyRejected, message: "The server's key is not in the file known_hosts.")
            )
        case .bodyTooLong:
            self = .longerThanTold
        case .endNotSeen:
            self = .endNotSeen
        case .outOfResources:
            self.init(DownloadError(.connectFailed, message: "The process has no free thread or file descriptor."))
        case .curl(1):
            // The URL's scheme was checked before, so libcurl refuses a response without a status line (HTTP/0.9).
            self.init(DownloadError(.badResponse, message: "The response is not valid HTTP.", transportCode: 1))
        case .curl where error.isTooManyRequests: self = .tooManyRequests
        case .curl(let code) where error.isBadChunk || code == 43 && error.hasSentRequest:
            // CURLE_BAD_FUNCTION_ARGUMENT after the request was sent: a malformed field, mostly a trailer.
            self.init(
                DownloadError(.badResponse, message: "The response is not valid HTTP.", transportCode: Int(code))
            )
        case .curl(let code):
            if let reply = error.ftpReply, let failure = Self(transportCode: Int(code), ftpReply: reply) {
                self = failure
                return
            }
            self.init(
                transportCode: Int(code),
                stage: stage,
                nameDoesNotExist: nameDoesNotExist,
                isOfFileServer: error.isOfFileServer
            )
        }
    }

    /// The failure of a call on a part file or its folder. The operator must fix it, and every download waits until
    /// then.
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

    /// The failure of a call on the folder for the finished file, which a client named. Waiting does not help if it is
    /// no folder, is on another file system or is not writable. A failing device may recover.
    init(destination error: SystemError) {
        let mayPass =
            error.isOutOfSpace || error.isOutOfDescriptors || error.isMissing
            || (error.isInputOutput && !error.isReadOnly)
        guard !mayPass else {
            self.init(error)
            return
        }
        self.init(
            DownloadError(.ioError, message: "The file cannot be put into its folder: \(error.message)."),
            failureClass: .permanent
        )
    }
}

extension TransferFailure {
    /// The failure of a name that resolves to a forbidden address: the same as that of a name that does not exist.
    ///
    /// Otherwise a client could try names and learn which ones the network of the service has (OWASP, SSRF prevention).
    /// A literal address in the URL reveals nothing, so this returns nil for it.
    ///
    /// - Parameter isChecked: Whether the caller asks the resolver if an unresolved name exists.
    init?(hiding error: CurlError, host: String, isChecked: Bool) {
        guard error.code == .destinationRefused, IPAddress(urlHost: host) == nil else { return nil }
        self.init(transportCode: 6, stage: .header, nameDoesNotExist: isChecked)
        cause = "\(DownloadError.Code.destinationForbidden.rawValue): \(host) has an address that is not allowed"
    }

    /// The failure of a request before its response.
    ///
    /// - Parameter name: The resolver's answer for the host, if the cause is in doubt.
    init(beforeResponse error: CurlError, host: String, _ name: HostNameCheck.Outcome) {
        // A name with a forbidden address must look like an unknown name.
        self =
            TransferFailure(hiding: error, host: host, isChecked: name != .notChecked)
            ?? TransferFailure(error, stage: .header, nameDoesNotExist: name == .unknown)
    }

    /// ENHANCE_YOUR_CALM (RFC 9113, section 7) names no time, so it counts as a `Retry-After` of a minute.
    private static let tooManyRequests = Self(
        DownloadError(.connectFailed, message: "The origin asks for fewer requests.", transportCode: 92),
        retryAfter: RetryAfter(seconds: 60)
    )

    /// The failure of a body from `authority`.
    init(body error: CurlError, from authority: String) {
        self.init(error, stage: .body)
        if retryAfter != nil { self.authority = authority }
    }

    /// The same failure, with the host that responded.
    func by(host url: DownloadURL) -> Self {
        var failure = self
        failure.authority = url.authority
        return failure
    }
}

/// Runs `body`, and maps errors of the disk to interruptions.
func mappingDiskErrors<Value>(_ body: () async throws(SystemError) -> Value) async throws(AttemptInterruption) -> Value
{
    do {
        return try await body()
    } catch {
        throw .failed(TransferFailure(error))
    }
}

/// The same for the folder of the finished file.
func mappingDestinationErrors<Value>(
    _ body: () async throws(SystemError) -> Value
) async throws(AttemptInterruption) -> Value {
    do {
        return try await body()
    } catch {
        throw .failed(TransferFailure(destination: error))
    }
}

/// Runs `body`, a call of the checkpoint sink. If it fails, the attempt must stop.
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
        // Progress that cannot be recorded does not count.
        throw .unrecorded(error)
    }
}
