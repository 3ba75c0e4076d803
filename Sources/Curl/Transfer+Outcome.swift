import CLibcurl

/// What libcurl knows about a transfer, in our words. All of it needs the handle.
extension Transfer {
    func makeHead() -> ResponseHead {
        let file = request.url.scheme.isFile ? fileFacts : nil
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

    private var contentLength: Int64? { handle?.length(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) }

    /// - Parameter code: What libcurl ended the transfer with.
    func makeOutcome(_ code: CURLcode) -> Result<TransferEnd> {
        guard let handle, failure == nil, code == CURLE_OK else { return .failure(makeError(code)) }
        return .success(
            TransferEnd(
                bytesReceived: 0,
                isConnectionReused: handle.integer(CURLINFO_NUM_CONNECTS) == 0
            )
        )
    }

    /// What is not 2xx ended the tunnel before it began.
    private var proxyStatus: Int? {
        let status = handle?.integer(CURLINFO_HTTP_CONNECTCODE) ?? 0
        return status == 0 || (200...299).contains(status) ? nil : status
    }

    private var isProxyLoginRefused: Bool {
        let code = handle?.integer(CURLINFO_PROXY_ERROR) ?? 0
        return code == Int(CURLPX_NO_AUTH.rawValue) || code == Int(CURLPX_USER_REJECTED.rawValue)
    }

    var hasSentRequest: Bool { handle?.offset(CURLINFO_PRETRANSFER_TIME_T) ?? 0 > 0 }

    /// In TLS 1.3 the peer judges a certificate when the handshake is over on this side, so that its alert
    /// (RFC 8446, section 6.2) comes as a failed read; OpenSSL's words are all that libcurl tells of it.
    private static func isRefusalOfCertificate(_ message: String) -> Bool {
        message.contains(" alert ") && (message.contains("certificate") || message.contains("unknown ca"))
    }

    private func makeError(_ code: CURLcode) -> CurlError {
        if let failure { return CurlError(failure) }
        // A refused address comes back as a failed connection. If another address was tried, that one failed.
        if code == CURLE_COULDNT_CONNECT && refusedSockets > 0 && openedSockets == 0 {
            return CurlError(.destinationRefused)
        }
        if code == CURLE_PEER_FAILED_VERIFICATION && request.url.scheme == .sftp { return CurlError(.hostKeyRejected) }
        // libcurl calls a field that is longer than it bears a lack of memory.
        if code == CURLE_OUT_OF_MEMORY && !isHeadComplete && hasSentRequest { return CurlError(.headTooLarge) }
        // libcurl says of a field that it cannot read, as one that continues nothing, that it was called wrongly. After
        // the request it is the answer that is wrong.
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
            isOfFileServer: request.url.scheme.isFile,
            ftpReply: replies.last
        )
    }
}
