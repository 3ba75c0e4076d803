import Core
import Curl
import HTTPFields
import Linux
import TransferRules

extension TransferFailure {
    /// What a failed transfer means.
    init(_ error: CurlError, stage: Stage, nameDoesNotExist: Bool = false) {
        switch error.code {
        case .destinationRefused:
            self.init(
                DownloadError(.destinationForbidden, message: "The destination's address is not allowed.")
            )
        case .dataDestinationRefused:
            // The server chooses a port each time, and now and then one of another service.
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
            // The scheme was checked before: what libcurl refuses here is an answer without a status line, HTTP/0.9.
            self.init(DownloadError(.badResponse, message: "The response is not valid HTTP.", transportCode: 1))
        case .curl where error.isTooManyRequests: self = .tooManyRequests
        case .curl(let code) where error.isBadChunk || code == 43 && error.hasSentRequest:
            // CURLE_BAD_FUNCTION_ARGUMENT: of a field, mostly of a trailer, that is none. Nothing of ours is left to be
            // refused once the request was sent.
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

    /// What a failed call on a part file or the folder of the parts means: what is wrong with these is for the
    /// operator to mend, and every download waits until it is.
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

    /// What a failed call on the folder that a finished file goes to means. A client named it: where it is no folder,
    /// lies on another file system or may not be written to, waiting helps nobody. A device that fails may come back.
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

    /// What ended a request before its answer.
    ///
    /// - Parameter name: What the resolver says of the host's name, where that is in doubt.
    init(beforeResponse error: CurlError, host: String, _ name: HostNameCheck.Outcome) {
        // A name with a forbidden address looks like an unknown one, of which nothing is said where nobody asked.
        self =
            TransferFailure(hiding: error, host: host, isChecked: name != .notChecked)
            ?? TransferFailure(error, stage: .header, nameDoesNotExist: name == .unknown)
    }

    /// Too many requests, as HTTP/2 has it (RFC 9113, section 7): no time is named, so a minute.
    private static let tooManyRequests = Self(
        DownloadError(.connectFailed, message: "The origin asks for fewer requests.", transportCode: 92),
        retryAfter: RetryAfter(seconds: 60)
    )

    /// What ended a body that came from `authority`.
    init(body error: CurlError, from authority: String) {
        self.init(error, stage: .body)
        if retryAfter != nil { self.authority = authority }
    }

    /// The same, with the host that said so.
    func by(host url: SourceURL) -> Self {
        var failure = self
        failure.authority = url.authority
        return failure
    }
}

/// Runs `body`, and turns the disk's errors into the attempt's.
func mappingDiskErrors<Value>(_ body: () async throws(SystemError) -> Value) async throws(AttemptInterruption) -> Value
{
    do {
        return try await body()
    } catch {
        throw .failed(TransferFailure(error))
    }
}

/// The same for the folder that a finished file goes to.
func mappingDestinationErrors<Value>(
    _ body: () async throws(SystemError) -> Value
) async throws(AttemptInterruption) -> Value {
    do {
        return try await body()
    } catch {
        throw .failed(TransferFailure(destination: error))
    }
}

/// Runs `body`, a call of the progress keeper, whose failure is the database's: the attempt must stop.
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
        // What cannot be recorded did not happen.
        throw .unrecorded(error)
    }
}
