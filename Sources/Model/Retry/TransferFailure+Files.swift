extension TransferFailure {
    /// The body goes on after the size that the server had told: the file has grown, is another, or was sent from
    /// another byte than the one asked for.
    public static let longerThanTold = TransferFailure(
        DownloadError(.sourceChanged, message: "The server sends more bytes than the file is said to have.")
    )

    /// Nothing shows whether the bytes are those that were asked for, or all of them.
    public static let endNotSeen = TransferFailure(
        DownloadError(.sourceChanged, message: "The server does not show where the file ends.")
    )

    /// Translates libcurl's `CURLcode` by an FTP server's last reply, where that says more than the code.
    ///
    /// - Parameter reply: A number of 4xx asks to try again, one of 5xx not to (RFC 959, section 4.2.1).
    public init?(transportCode: Int, ftpReply reply: Int) {
        if transportCode == 9, reply == 550 {
            // CURLE_REMOTE_ACCESS_DENIED: CWD into a folder that is not there, or not for everyone. The reply is
            // the same.
            self.init(
                DownloadError(
                    .fileNotFound,
                    message: "The server has no such folder, or does not show it.",
                    transportCode: 9
                )
            )
            return
        }
        guard (400...499).contains(reply) else { return nil }
        switch transportCode {
        // CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR: the body broke off. That a reply took too long is
        // said of one that asks to come again, too.
        case 18, 55, 56: return nil
        // CURLE_OPERATION_TIMEDOUT.
        case 28 where reply != 421: return nil
        default:
            let error = DownloadError(
                .connectFailed,
                message: "The server cannot serve the file now: it answered with \(reply).",
                transportCode: transportCode
            )
            self.init(error)
        }
    }
}
