import CLibcurl
import Glibc

/// What is different with a server of files.
extension Transfer {
    /// How long the end of a body is waited for once all its bytes are here, in milliseconds.
    private static var endPatience: Int32 { 10_000 }

    /// Takes a line of an FTP server.
    ///
    /// - Returns: Whether the transfer may go on.
    func receiveReply(_ line: UnsafeRawBufferPointer) -> Bool {
        replies.take(line, size: handle?.length(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T))
        if replies.byteCount > request.headLimits.bytes { failure = .headTooLarge }
        return failure == nil
    }

    /// Whether an FTP server sends more than it had told, as one that does not begin where it was asked to.
    ///
    /// libcurl reads no further than that and calls the body whole, so the socket is looked at, which may take a while:
    /// it has the loop for itself, as every transfer from a server of files. Over TLS nothing is to be seen there.
    func hasSurplus(after count: Int64) -> Bool {
        guard request.url.scheme == .ftp, let told = replies.toldSize else { return false }
        let rest = told - firstByte
        guard count >= rest, let data = descriptors.last else { return false }
        if count > rest { return true }
        var entry = pollfd(fd: data, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Self.endPatience) == 1 else { return false }
        var byte: UInt8 = 0
        return recv(data, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
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
        return ResponseHead.FileFacts(size: size, modifiedSeconds: handle?.length(CURLINFO_FILETIME_T))
    }
}
