import CLibcurl
import Glibc
import URLs

/// Reads the head and the result of a transfer from libcurl. All of it requires the handle.
extension Transfer {
    func makeHead() -> ResponseHead {
        let file = request.scheme.traits.headerFields ? nil : fileFacts
        let port = UInt16(clamping: handle?.integer(CURLINFO_PRIMARY_PORT) ?? 0)
        return ResponseHead(
            status: file == nil ? headBuilder.status : replies.opening ?? replies.last ?? 0,
            version: headBuilder.version,
            fields: headBuilder.fields,
            remoteAddress: handle.flatMap { SocketAddress($0.text(CURLINFO_PRIMARY_IP), port: port) },
            contentLength: file == nil ? contentLength : file?.size.map { max($0 - firstByte, 0) },
            file: file
        )
    }

    /// The length of the body; nil if it is unknown.
    var contentLength: Int64? {
        guard request.scheme.traits.headerFields else { return handle?.length(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) }
        return headBuilder.framing?.length
    }

    /// - Parameter code: libcurl's result for the transfer.
    func makeOutcome(_ code: CURLcode) -> Result<TransferEnd> {
        guard let handle, failure == nil, code == CURLE_OK else { return .failure(makeError(code)) }
        if let fault = endFault { return .failure(fault) }
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

    /// Whether the connection was ready for the request. libcurl 8.22 has a time of that for failed connections, too.
    var hasSentRequest: Bool { isConnected }

    /// The result of the verification of a certificate, if OpenSSL's callback brought none. It is 1 until the
    /// certificate was checked.
    private var verificationResult: Int? {
        [CURLINFO_SSL_VERIFYRESULT, CURLINFO_PROXY_SSL_VERIFYRESULT].compactMap { handle?.integer($0) }.first { $0 > 1 }
    }

    /// What is missing although libcurl reports success (docs/decisions/0053); nil if nothing is.
    private var endFault: CurlError? {
        guard request.scheme.traits.headerFields else { return nil }
        guard isHeadComplete else { return CurlError(.gotNothing, message: "the head is not complete") }
        if isUploadIncomplete {
            return CurlError(
                .uploadIncomplete,
                message: "status \(headBuilder.status) came before the whole body was sent"
            )
        }
        if let chunks {
            return chunks.isComplete ? nil : CurlError(.partialBody, message: "the last chunk is missing")
        }
        guard let length = contentLength, receivedBytes != length else { return nil }
        return CurlError(.partialBody, message: "\(receivedBytes) of \(length) bytes were received")
    }

    /// The meaning of a code while the head of a response is incomplete.
    private func headFault(_ code: CURLcode) -> CurlError.Code? {
        switch code {
        // Before version 8.6, libcurl reports an overlong line as a lack of memory; later with a code of its own.
        case CURLE_OUT_OF_MEMORY, CURLcode(100): .headTooLarge
        // From version 8.7, libcurl refuses some codings before it passes on their line.
        case CURLE_BAD_CONTENT_ENCODING: .transferCodingRefused
        // A head that is cut after its `Content-Length`. Over HTTP/2 the code is one of the stream.
        case CURLE_PARTIAL_FILE where request.scheme.traits.headerFields && !isOverHTTP2: .gotNothing
        default: nil
        }
    }

    /// The error of a callback that ended the transfer; nil if none did.
    var callbackError: CurlError? { failure.map { uploadError ?? CurlError($0) } }

    private func makeError(_ code: CURLcode) -> CurlError {
        if let error = callbackError { return error }
        // The code is that of the refused write.
        if let fault = chunks?.fault {
            var error = CurlError(.chunkMalformed, message: "\(fault)")
            error.hasSentRequest = true
            return error
        }
        // libcurl reports a refused address as a failed connection. If another address was tried, that attempt failed.
        if code == CURLE_COULDNT_CONNECT && refusedSockets > 0 && openedSockets == 0 {
            return CurlError(.destinationRefused)
        }
        if request.scheme == .sftp, !hasSentRequest, let failure = handle?.hostKeys?.failure { return failure }
        if code == CURLE_PEER_FAILED_VERIFICATION && request.scheme == .sftp {
            return HostKeyCheck.error(.unknown)
        }
        if !isHeadComplete, hasSentRequest, let code = headFault(code) { return CurlError(code) }
        // The file is shorter than the requested byte. libcurl 8.22 has another code for that.
        if code == CURLE_RANGE_ERROR && request.scheme == .sftp {
            var error = CurlError(.curl(Int32(CURLE_BAD_DOWNLOAD_RESUME.rawValue)))
            error.isOfFileServer = true
            return error
        }
        // libcurl reports a field that it cannot parse, such as a folded line after no field, as a bad argument. After
        // the request was sent, this means that the response is invalid.
        if code == CURLE_BAD_FUNCTION_ARGUMENT && hasSentRequest {
            return CurlError(.weirdReply)
        }
        let message = handle?.errorMessage(for: code) ?? ""
        // libcurl 8.22 reports a key that does not belong to the certificate as a bad argument.
        if code == CURLE_BAD_FUNCTION_ARGUMENT && openedSockets > 0 && request.clientCertificate != nil {
            return CurlError(.curl(Int32(CURLE_SSL_CERTPROBLEM.rawValue)), message: message)
        }
        // In TLS 1.3 the peer checks the certificate after the client has finished the handshake, so libcurl reports a
        // failed read.
        let isClientRefused = !isHeadComplete && tlsAlert?.concernsCertificate == true
        let kind: CurlError.Code = isClientRefused ? .clientCertificateRefused : .curl(Int32(code.rawValue))
        var error = CurlError(kind, message: message)
        error.proxyStatus = proxyStatus
        error.isProxyLoginRefused = isProxyLoginRefused
        error.hasSentRequest = hasSentRequest
        error.isOfFileServer = !request.scheme.traits.headerFields
        error.ftpReply = replies.last
        error.tlsFault = tlsFault(code) ?? verificationResult.map(TLSFault.certificateRefused)
        error.isVersionRefused = tlsAlert == .noApplicationProtocol
        error.isOverHTTP2 = isOverHTTP2
        return error
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
    /// libcurl passes on no more bytes than the stated size and reports a complete body, even if the server did not
    /// begin at the requested byte. The socket is therefore checked for more bytes, and for those that libcurl has read
    /// ahead (version 8.14 does). This may block for a while, which is allowed because each FTP or SFTP transfer has
    /// its own loop. With TLS, the socket cannot be checked.
    func faultOfFile(after count: Int64) -> CurlError.Code? {
        guard request.scheme == .ftp, let rest = lengthToCome, count >= rest else { return nil }
        if count > rest { return .bodyTooLong }
        switch descriptors.last.map(pendingInput(on:)) ?? .unknown {
        case .end: return (descriptors.last.flatMap(receivedPayload(of:)) ?? rest) > rest ? .bodyTooLong : nil
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

    /// The number of bytes that the kernel received on a connection up to its end; nil if the kernel does not count
    /// them.
    ///
    /// `tcpi_bytes_received` (RFC 4898, tcpEStatsAppHCThruOctetsReceived; Linux 4.1) is at offset 128 of `tcp_info`
    /// (linux/tcp.h), and counts the FIN as a byte.
    private func receivedPayload(of data: Int32) -> Int64? {
        let offset = 128
        var info = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(info.count)
        guard getsockopt(data, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0, Int(length) >= offset + 8 else {
            return nil
        }
        return info.withUnsafeBytes { Int64($0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) } - 1
    }

    var firstByte: Int64 {
        if case .from(let first)? = request.range { first } else { 0 }
    }

    var fileFacts: ResponseHead.FileFacts {
        let length = handle?.length(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        let size: Int64? =
            if request.scheme == .sftp {
                length.map { $0 + firstByte - request.leadingBytes }
            } else {
                // For a start offset at the end of the file, libcurl requests only the size.
                replies.opening == nil ? length : replies.reportedSize
            }
        return ResponseHead.FileFacts(
            size: size,
            modifiedSeconds: handle?.length(CURLINFO_FILETIME_T),
            isEndSeen: request.scheme != .ftps || size != nil || replies.announcedSize == nil
        )
    }
}
