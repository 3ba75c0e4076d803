import CLibcurl

/// The global state of libcurl.
public enum CurlLibrary {
    private static let isSetUp: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The versions of libcurl and its libraries, as returned by `curl_version()`.
    public static var versionText: String { String(cString: curl_version()) }

    /// The version of the loaded libcurl, such as `7.88.1`.
    public static var number: String { String(cString: curl_version_info(CURLVERSION_ELEVENTH).pointee.version) }

    /// Whether libcurl was built with libidn2, which converts internationalized host names.
    static let hasIDNA = curl_version_info(CURLVERSION_ELEVENTH).pointee.features & CURL_VERSION_IDN != 0

    /// Whether libcurl was built with HTTP/3.
    public static let hasHTTP3 = curl_version_info(CURLVERSION_ELEVENTH).pointee.features & CURL_VERSION_HTTP3 != 0

    /// Initialises libcurl, once per process. Must be called before any other libcurl function.
    static func setUp() {
        precondition(isSetUp, "curl_global_init() failed")
    }
}

extension String {
    /// The text with only printable ASCII, because libcurl's text may contain bytes from an origin.
    var printable: String {
        String(unicodeScalars.map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" })
    }
}
