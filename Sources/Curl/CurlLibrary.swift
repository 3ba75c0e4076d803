import CLibcurl

/// libcurl as a whole.
public enum CurlLibrary {
    private static let isSetUp: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The versions of libcurl and of the libraries under it, as `curl_version()` words them.
    public static var versionText: String { String(cString: curl_version()) }

    /// Sets libcurl up, once for the process and before any other of its calls.
    static func setUp() {
        precondition(isSetUp, "curl_global_init() failed")
    }
}
