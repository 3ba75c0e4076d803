import CLibcurl
import Glibc

/// Reads the head and the result of a transfer from libcurl. All of it requires the handle.
extension Transfer {
    func makeHead() -> ResponseHead {
        let file = request.url.scheme.traits.headerFields ? nil : fileFacts
        let port = UInt16(clamping: handle?.integer(CURLINFO_PRIMARY_PORT) ?? 0)
        return ResponseHead(
            status: file == nil ? headBuilder.status : replies.opening ?? replies.last ?? 0,
            version: headBuilder.version,
            fields: headBuilder.fields,
            remoteAddress: handle.flatMap { SocketAddress($0.text(CURLINFO_PRIMARY_IP), port: port) },
            contentLength: file == nil ? contentLength : file?.size.map { $0 - firstByte },
            file: file
        )
    }

    var contentLength: Int64? { handle?.length(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) }

    /// - Parameter code: libcurl's result for the transfer.
    func makeOutcome(_ code: CURLcode) -> Result<TransferEnd> {
        guard let handle, failure == nil, code == CURLE_OK else { return .failure(makeError(code)) }
        return .success(
            TransferEnd(
                bytesReceived: 0,
                isConnectionReused: handle.integer(CURLINFO_NUM_CONNECTS) == 0
            )
        )
    }

    /// The status of a proxy that refused the tunnel: any status other than 2xx.
    private var proxyStatus: Int? {
        let status = handle?.integer(CURLINFO_HTTP_CONNECTCODE) ?? 0
        return status == 0 || (200...299).contains(status) ? nil : status
    }

    private var isProxyLoginRefused: Bool {
        let code = handle?.integer(CURLINFO_PROXY_ERROR) ?? 0
        return code == Int(CURLPX_NO_AUTH.rawValue) || code == Int(CURLPX_USER_REJECTED.rawValue)
    }

    var hasSentRequest: Bool { handle?.offset(CURLINFO_PRETRANSFER_TIME_T) ?? 0 > 0 }

    /// Whether an error text is the peer's TLS alert about the client certificate (RFC 8446, section 6.2). In TLS 1.3
    /// the peer checks the certificate after the client has finished the handshake, so libcurl reports a failed read
    /// and the alert only in OpenSSL's text.
    private static func isRefusalOfCertificate(_ message: String) -> Bool {
        message.contains(" alert ") && (message.contains("certificate") || message.contains("unknown ca"))
    }

    private func makeError(_ code: CURLcode) -> CurlError {
        if let failure { return CurlError(failure) }
        // libcurl reports a refused address as a failed connection. If another address was tried, that attempt failed.
        if code == CURLE_COULDNT_CONNECT && refusedSockets > 0 && openedSockets == 0 {
            return CurlError(.destinationRefused)
        }
        if code == CURLE_PEER_FAILED_VERIFICATION && request.url.scheme == .sftp { return CurlError(.hostKeyRejected) }
        // libcurl reports an overlong field as a lack of memory.
        if code == CURLE_OUT_OF_MEMORY && !isHeadComplete && hasSentRequest { return CurlError(.headTooLarge) }
        // libcurl reports a field that it cannot parse, such as a folded line after no field, as a bad argument. After
        // the request was sent, this means that the response is invalid.
        if code == CURLE_BAD_FUNCTION_ARGUMENT && hasSentRequest {
            return CurlError(.weirdReply)
        }
        let message = handle?.errorMessage(for: code) ?? ""
        let isRefused = !isHeadComplete && Self.isRefusalOfCertificate(message)
        return CurlError(
            isRefused ? .clientCertificateRefused : .curl(Int32(code.rawValue)),
            message: message,
            proxyStatus: proxyStatus,
            isProxyLoginRefused: isProxyLoginRefused,
            hasSentRequest: hasSentRequest,
            isOfFileServer: !request.url.scheme.traits.headerFields,
            ftpReply: replies.last
        )
    }
}

/// Special handling of FTP and SFTP.
extension Transfer {
    /// Handles a reply line of an FTP server.
    ///
    /// - Returns: Whether the transfer may continue.
    func receiveReply(_ line: UnsafeRawBufferPointer) -> Bool {
        replies.receive(line, size: handle?.length(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T))
        if replies.byteCount > request.headLimits.bytes { failure = .headTooLarge }
        return failure == nil
    }

    /// The error of an FTP file after `count` received bytes; nil if there is none.
    ///
    /// libcurl stops reading at the stated size and reports a complete body, even if the server did not begin at the
    /// requested byte. The socket is therefore checked for more bytes. This may block for a while, which is allowed
    /// because each FTP or SFTP transfer has its own loop. With TLS, the socket cannot be checked.
    func faultOfFile(after count: Int64) -> CurlError.Code? {
        guard request.url.scheme == .ftp, let rest = lengthToCome, count >= rest else { return nil }
        if count > rest { return .bodyTooLong }
        switch descriptors.last.map(pendingInput(on:)) ?? .unknown {
        case .end: return nil
        case .more: return .bodyTooLong
        // A file fetched from byte 0 is complete after as many bytes as SIZE stated, even if the server does not close
        // the connection.
        case .unknown: return firstByte == 0 && replies.reportedSize != nil ? nil : .endNotSeen
        }
    }

    private var lengthToCome: Int64? {
        if let size = replies.reportedSize { return size - firstByte }
        // With another start offset the number could be either length. Such a head is refused because it has no size.
        return firstByte == 0 ? replies.announcedSize : nil
    }

    private enum PendingInput {
        case end, more, unknown
    }

    /// The interval of checks whether the transfer was abandoned.
    private static let longestPoll = Duration.milliseconds(100)

    private func pendingInput(on data: Int32) -> PendingInput {
        let deadline = ContinuousClock.now + request.endPatience
        var entry = pollfd(fd: data, events: Int16(POLLIN), revents: 0)
        while true {
            let left = max(deadline - .now, .zero)
            let ready = poll(&entry, 1, Int32((min(left, Self.longestPoll) / .milliseconds(1)).rounded(.up)))
            if ready < 0, errno == EINTR { continue }
            if ready == 0, left > .zero, !iteration.mailbox.hasGivenUp(id) { continue }
            guard ready == 1 else { return .unknown }
            var byte: UInt8 = 0
            let count = recv(data, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
            if count >= 0 { return count == 0 ? .end : .more }
            guard errno == EINTR || errno == EAGAIN else { return .unknown }
        }
    }

    var firstByte: Int64 {
        if case .from(let first)? = request.range { first } else { 0 }
    }

    var fileFacts: ResponseHead.FileFacts {
        let length = handle?.length(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        let size: Int64? =
            if request.url.scheme == .sftp {
                length.map { $0 + firstByte }
            } else {
                // For a start offset at the end of the file, libcurl requests only the size.
                replies.opening == nil ? length : replies.reportedSize
            }
        return ResponseHead.FileFacts(
            size: size,
            modifiedSeconds: handle?.length(CURLINFO_FILETIME_T),
            isEndSeen: request.url.scheme != .ftps || size != nil || replies.announcedSize == nil
        )
    }
}
