import CLibcurl
import Glibc
import Linux

/// How much of the body of an upload has left this machine.
struct UploadProgress: Hashable {
    /// The bytes that the kernel, or the HTTP/2 connection, has accepted.
    var accepted: Int64 = 0
    /// How many bytes of the connection the peer has not acknowledged yet.
    var unacknowledged: Int32 = 0
}

extension Transfer {
    /// Registers the callbacks that read the body. No option has to be cleared afterwards, because a handle serves one
    /// request (docs/decisions/0026).
    func installUploadCallbacks(on handle: EasyHandle) throws(CurlError) {
        // Unretained: the loop removes the handle from libcurl before it releases the transfer.
        let context = Unmanaged.passUnretained(self).toOpaque()
        for option in [CURLOPT_READDATA, CURLOPT_SEEKDATA] {
            try handle.check(shim_easy_setopt_pointer(handle.raw, option, context))
        }
        try handle.check(shim_easy_setopt_write(handle.raw, CURLOPT_READFUNCTION, readUpload))
        try handle.check(shim_easy_setopt_seek(handle.raw, seekUpload))
    }

    /// Restarts the clock of the head while the body is being sent. Called at each tick of the loop.
    ///
    /// The kernel may hold megabytes that a slow peer has not taken yet, so what the peer acknowledges counts too. Over
    /// HTTP/2 it may belong to another stream, and does not count.
    func watchUpload(at now: ContinuousClock.Instant) {
        guard upload != nil, !isHeadComplete, let handle else { return }
        let queued = isOverHTTP2 ? nil : endpoints.flatMap(iteration.connectionCache.unacknowledgedBytes)
        let progress = UploadProgress(
            accepted: handle.offset(CURLINFO_SIZE_UPLOAD_T),
            unacknowledged: queued ?? 0
        )
        recordProgress(progress, at: now)
    }

    /// The error of an upload whose body could not be read; nil if it could.
    var uploadError: CurlError? {
        switch upload?.fault {
        case nil: return nil
        case .ended(let position):
            let count = upload?.body.count ?? 0
            return CurlError(.uploadTruncated, message: "the file has \(position) of the \(count) bytes to send")
        case .failed(let reason):
            var error = CurlError(.uploadUnreadable, message: "the file cannot be read: \(reason.message)")
            error.readError = reason
            return error
        }
    }

    /// Whether libcurl reports success although the server has not received the whole body. It sends no more if the
    /// response is complete and its connection is to be closed.
    var isUploadIncomplete: Bool {
        guard let upload, let handle, (200..<300).contains(headBuilder.status) else { return false }
        return handle.offset(CURLINFO_SIZE_UPLOAD_T) < upload.body.count
    }

    /// Whether the server closed a connection that was used before, while the body was sent on it. It may have closed
    /// the idle connection, so the request is sent again on a new one.
    ///
    /// libcurl does that itself if it learns of the end by a read, but not if a send fails. Only PUT is repeated: the
    /// server may have processed the request, and PUT is idempotent (RFC 9110, section 9.2.2).
    func isLostUpload(_ code: CurlError.Code) -> Bool {
        guard case .upload("PUT", _) = request.method, failure == nil else { return false }
        let isSendFailure = code == .curl(Int32(CURLE_SEND_ERROR.rawValue))
        return isSendFailure && isConnected && openedSockets == 0 && headBuilder.isEmpty
    }
}

/// `CURLOPT_READFUNCTION`: 0 ends the body, `CURL_READFUNC_ABORT` the transfer.
/// https://curl.se/libcurl/c/CURLOPT_READFUNCTION.html
private func readUpload(
    _ buffer: UnsafeMutablePointer<CChar>,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer
) -> Int {
    let transfer = Transfer.of(context)
    let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
    if let count = transfer.upload?.read(into: buffer) { return count }
    transfer.failure = transfer.uploadError?.code ?? .uploadUnreadable
    return Int(CURL_READFUNC_ABORT)
}

/// `CURLOPT_SEEKFUNCTION`: libcurl sends the body again from its start, on a new connection or after a challenge.
/// https://curl.se/libcurl/c/CURLOPT_SEEKFUNCTION.html
private func seekUpload(_ context: UnsafeMutableRawPointer, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    let isDone = origin == SEEK_SET && Transfer.of(context).upload?.seek(to: Int64(offset)) == true
    return isDone ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}
