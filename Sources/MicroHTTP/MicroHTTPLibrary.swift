internal import CMicroHTTPD

/// libmicrohttpd as a whole.
public enum MicroHTTPLibrary {
    /// The version of the library that is loaded, such as `0.9.75`.
    public static var versionText: String { String(cString: MHD_get_version()) }
}
