import CLibcurl

/// One `CURL *`: a single transfer's settings and outcome. It serves no second one: `curl_easy_reset()` of libcurl
/// before 8.1.0 leaves a pointer to memory that it has freed (docs/decisions/0026).
///
/// It is not `Sendable`. It lives on the thread of the ``TransferLoop`` that made it, where
/// libcurl also runs its callbacks. libcurl copies every string it is given, but not a header list.
final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headers: UnsafeMutablePointer<curl_slist>?

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

    /// Lets libcurl say in words what went wrong; read it with ``errorMessage(for:)``.
    func keepErrorText() throws(CurlError) {
        try check(shim_easy_setopt_pointer(raw, CURLOPT_ERRORBUFFER, errorText))
    }

    /// libcurl's words for `code`. They name hosts, addresses and ports, and never a URL's query.
    func errorMessage(for code: CURLcode) -> String {
        errorText.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorText).printable
    }

    /// Lets a paused transfer go on. libcurl may call the write callback before this returns.
    func unpause() -> CURLcode {
        curl_easy_pause(raw, CURLPAUSE_CONT)
    }

    /// Has libcurl look at a transfer that nothing was sent for, though neither a socket nor a timer asks for it.
    ///
    /// When an address of a host refuses or does not answer, libcurl 7.88 takes up the next one only when it is called
    /// again, and asks nobody to call it.
    func nudge() {
        // A change of what is paused is what makes libcurl look; there is nothing to send yet.
        curl_easy_pause(raw, CURLPAUSE_SEND)
        curl_easy_pause(raw, CURLPAUSE_CONT)
    }

    func check(_ code: CURLcode) throws(CurlError) {
        guard code == CURLE_OK else {
            throw CurlError(.curl(Int32(code.rawValue)), message: String(cString: curl_easy_strerror(code)))
        }
    }

    /// Sets the request's header lines; the list lives as long as libcurl may read it.
    func setHeaderLines(_ lines: [String]) throws(CurlError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        curl_slist_free_all(headers)
        headers = list
        try check(shim_easy_setopt_list(raw, CURLOPT_HTTPHEADER, list))
    }
}
