import CLibcurl

extension EasyHandle {
    /// Sets what FTP (RFC 959, 2428, 3659, 4217) and SFTP have and HTTP has not.
    func setFileOptions(_ request: TransferRequest) throws(CurlError) {
        try set(.fileTime, true)
        try set(.skipPassiveAddress, true)
        try set(.extendedPassive, true)
        // libcurl waits for some replies without letting go of its thread, as for that to QUIT.
        try set(.serverReplySeconds, 30)
        // A connection that is kept costs the server a login, and would be closed by whoever frees the handle.
        try set(.freshConnection, true)
        try set(.forbidReuse, true)
        try setStart(request.range)
        // Without it libcurl would go on in clear text where the server refuses to protect the data connection.
        let security = request.url.scheme == .ftps ? CURLUSESSL_ALL : CURLUSESSL_NONE
        try set(.ftpSecurity, Int(security.rawValue))
        if request.url.scheme == .sftp { try setHostKeys(request.knownHostsFile) }
    }

    private func setStart(_ range: ByteRange?) throws(CurlError) {
        switch range {
        case nil: break
        case .from(let first): try setFirstByte(first)
        case .bytes: throw CurlError(.badHeader, message: "a server of files is asked from a byte to the end")
        }
    }

    /// libcurl refuses every host whose key is not in the file, and without a callback of ours adds none to it
    /// (https://curl.se/libcurl/c/CURLOPT_SSH_KEYFUNCTION.html). Without the file it would trust any.
    private func setHostKeys(_ file: String?) throws(CurlError) {
        guard let file, !file.isEmpty else {
            throw CurlError(.hostKeyRejected, message: "there is no file of known hosts")
        }
        try set(.knownHostsFile, file)
        // CURLSSH_AUTH_PASSWORD and CURLSSH_AUTH_KEYBOARD, whose macros do not import. Keys and agents of this
        // machine's user are not a client's to use.
        try set(.sshAuthentication, 1 << 1 | 1 << 3)
    }
}
