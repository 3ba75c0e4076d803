import CLibcurl
import Glibc
import URLs

/// One `CURL *`: the options and the result of a single transfer. It is not reused: before libcurl 8.1.0,
/// `curl_easy_reset()` leaves a dangling pointer (docs/decisions/0026).
///
/// It is not `Sendable`. Only the thread of its ``TransferLoop`` uses it, and libcurl runs its callbacks on that
/// thread. libcurl copies every string option, but not a header list.
final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headers: UnsafeMutablePointer<curl_slist>?
    /// The check of an SSH server's key; nil for other protocols.
    private(set) var hostKeys: HostKeyCheck?

    init() throws(CurlError) {
        guard let raw = curl_easy_init() else { throw CurlError(.curl(Int32(CURLE_FAILED_INIT.rawValue))) }
        self.raw = raw
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(headers)
        errorText.deallocate()
    }

    /// Gives libcurl a buffer for its error texts. Read it with ``errorMessage(for:)``.
    func keepErrorText() throws(CurlError) {
        try check(shim_easy_setopt_pointer(raw, CURLOPT_ERRORBUFFER, errorText))
    }

    /// libcurl's text for `code`. It may contain hosts, addresses and ports, but no query of a URL.
    func errorMessage(for code: CURLcode) -> String {
        errorText.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorText).printable
    }

    /// Unpauses a transfer. libcurl may call the write callback before this method returns.
    func unpause() -> CURLcode {
        curl_easy_pause(raw, CURLPAUSE_CONT)
    }

    /// Keeps a transfer paused whose write callback has paused it again.
    ///
    /// If only receiving is paused, libcurl 8.14 reads once more after each ``unpause()``, and collects up to 64 MiB.
    func keepPaused() {
        curl_easy_pause(raw, CURLPAUSE_ALL)
    }

    /// Makes libcurl process a transfer without a socket or timer event.
    ///
    /// If an address of a host refuses the connection or does not respond, libcurl 7.88 tries the next address only
    /// when it is called again, but it sets no timer for that.
    func processWithoutEvent() {
        // A change of the pause state makes libcurl process the transfer. There is nothing to send yet.
        curl_easy_pause(raw, CURLPAUSE_SEND)
        curl_easy_pause(raw, CURLPAUSE_CONT)
    }

    func check(_ code: CURLcode) throws(CurlError) {
        guard code == CURLE_OK else {
            throw CurlError(.curl(Int32(code.rawValue)), message: String(cString: curl_easy_strerror(code)))
        }
    }

    /// Sets the header lines of the request. The list is kept while libcurl may read it.
    func setHeaderLines(_ lines: [String]) throws(CurlError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        curl_slist_free_all(headers)
        headers = list
        try check(shim_easy_setopt_list(raw, CURLOPT_HTTPHEADER, list))
    }
}

extension EasyHandle {
    func set(_ option: Option<Bool>, _ value: Bool) throws(CurlError) {
        try check(shim_easy_setopt_long(raw, option.code, value ? 1 : 0))
    }

    func set(_ option: Option<Int>, _ value: Int) throws(CurlError) {
        try check(shim_easy_setopt_long(raw, option.code, value))
    }

    func set(_ option: Option<String>, _ value: String) throws(CurlError) {
        try check(shim_easy_setopt_string(raw, option.code, value))
    }

    /// Sets the body of a POST. libcurl copies it, so the size must be set before the body.
    func setBody(_ body: [UInt8]) throws(CurlError) {
        try set(.post, true)
        try check(shim_easy_setopt_offset(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        // An empty array may have no address. libcurl would use a read callback for a null pointer.
        let bytes = body.isEmpty ? [0] : body
        let code = bytes.withUnsafeBytes { buffer in
            shim_easy_setopt_pointer(raw, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: buffer.baseAddress))
        }
        try check(code)
    }

    /// Makes the request one with a body of `size` bytes from the read callback. With a size libcurl sends no chunks.
    func setUploadSize(_ size: Int64) throws(CurlError) {
        try set(.upload, true)
        try check(shim_easy_setopt_offset(raw, CURLOPT_INFILESIZE_LARGE, curl_off_t(size)))
    }

    /// Sets the first byte of an FTP or SFTP request, which then reads to the end of the file.
    func setFirstByte(_ first: Int64) throws(CurlError) {
        try check(shim_easy_setopt_offset(raw, CURLOPT_RESUME_FROM_LARGE, curl_off_t(first)))
    }

    func integer(_ info: CURLINFO) -> Int {
        var value = 0
        _ = shim_easy_getinfo_long(raw, info, &value)
        return value
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        _ = shim_easy_getinfo_offset(raw, info, &value)
        return Int64(value)
    }

    /// nil if libcurl returns -1, which means unknown.
    func length(_ info: CURLINFO) -> Int64? {
        let value = offset(info)
        return value >= 0 ? value : nil
    }

    func text(_ info: CURLINFO) -> String {
        var value: UnsafePointer<CChar>?
        _ = shim_easy_getinfo_string(raw, info, &value)
        return value.map { String(cString: $0) } ?? ""
    }
}

extension EasyHandle {
    /// Sets the options of FTP (RFC 959, 2428, 3659, 4217) and SFTP.
    func setFileOptions(_ request: TransferRequest) throws(CurlError) {
        try set(.fileTime, true)
        try set(.skipPassiveAddress, true)
        try set(.extendedPassive, true)
        // libcurl blocks its thread while it waits for some replies, such as the reply to QUIT.
        try set(.serverReplySeconds, 30)
        // A kept connection would occupy a login on the server, and could not outlive its handle.
        try set(.freshConnection, true)
        try set(.forbidReuse, true)
        try setStart(request)
        // By default libcurl continues in clear text if the server refuses to protect the data connection.
        try set(.ftpSecurity, request.scheme == .ftps ? shim_use_tls_always : shim_use_tls_never)
        if request.scheme == .sftp { try setHostKeys(request) }
    }

    private func setStart(_ request: TransferRequest) throws(CurlError) {
        switch request.range {
        case nil: break
        case .from(let first): try setFirstByte(first - request.leadingBytes)
        case .bytes: throw CurlError(.badHeader, message: "FTP and SFTP support only ranges without an end")
        }
    }

    /// Without a file libcurl would trust any host.
    private func setHostKeys(_ request: TransferRequest) throws(CurlError) {
        guard let file = request.knownHostsFile, !file.isEmpty else { throw HostKeyCheck.error(.noFile) }
        let check = try HostKeyCheck(file: file, host: request.url.host, port: request.url.port)
        try check.install(on: self)
        hostKeys = check
        // Clients must not use the keys or the agent of the service's system user.
        try set(.sshAuthentication, shim_ssh_auth_password_and_keyboard)
    }
}
