import CLibcurl
import Glibc

/// What is different with a server of files.
extension Transfer {
    /// Takes a line of an FTP server.
    ///
    /// - Returns: Whether the transfer may go on.
    func receiveReply(_ line: UnsafeRawBufferPointer) -> Bool {
        replies.take(line, size: handle?.length(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T))
        if replies.byteCount > request.headLimits.bytes { failure = .headTooLarge }
        return failure == nil
    }

    /// What is wrong with a file of which so many bytes have come over FTP; nil as long as nothing is.
    ///
    /// libcurl reads no further than the server had told and calls the body whole, also where the server did not begin
    /// at the byte that it was asked for. So the socket is looked at, which may take a while: the transfer has the loop
    /// for itself, as every one from a server of files. Over TLS nothing is to be seen there.
    func faultOfFile(after count: Int64) -> CurlError.Code? {
        guard request.url.scheme == .ftp, let rest = lengthToCome, count >= rest else { return nil }
        if count > rest { return .bodyTooLong }
        switch descriptors.last.map(look(behind:)) ?? .unknown {
        case .end: return nil
        case .more: return .bodyTooLong
        // From the file's start on, as many bytes as SIZE told are the file, however long the server stays silent.
        case .unknown: return firstByte == 0 && replies.toldSize != nil ? nil : .endNotSeen
        }
    }

    private var lengthToCome: Int64? {
        if let size = replies.toldSize { return size - firstByte }
        // With another start it could be either length; such a head is refused for want of a size.
        return firstByte == 0 ? replies.announcedSize : nil
    }

    private enum Behind {
        case end, more, unknown
    }

    /// How long it takes at most until a look notices that nobody waits for it any more.
    private static let longestPoll = Duration.milliseconds(100)

    private func look(behind data: Int32) -> Behind {
        let deadline = ContinuousClock.now + request.endPatience
        var entry = pollfd(fd: data, events: Int16(POLLIN), revents: 0)
        while true {
            let left = max(deadline - .now, .zero)
            let ready = poll(&entry, 1, Int32((min(left, Self.longestPoll) / .milliseconds(1)).rounded(.up)))
            if ready < 0, errno == EINTR { continue }
            if ready == 0, left > .zero, !turn.mailbox.hasGivenUp(id) { continue }
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
                // Asked to begin at the end, libcurl asks for the size alone.
                replies.opening == nil ? length : replies.toldSize
            }
        return ResponseHead.FileFacts(
            size: size,
            modifiedSeconds: handle?.length(CURLINFO_FILETIME_T),
            isEndSeen: request.url.scheme != .ftps || size != nil || replies.announcedSize == nil
        )
    }
}
