import Curl
import HTTPServer
import Store

/// The versions of the program and its libraries.
public enum VersionText {
    static let number = "0.1.0"
    public static let short = "cormorant \(number)"
    /// The `User-Agent` for origins (RFC 9110, section 10.1.5).
    public static let userAgent = "cormorant/\(number)"

    /// One line for the program, and one for each library.
    public static func long() throws -> String {
        """
        \(short)
        \(CurlLibrary.versionText)
        libmicrohttpd/\(MicroHTTPLibrary.versionText)
        SQLite/\(try SQLiteLibrary.versionText())
        Swift \(swift)
        """
    }

    /// No function returns the version. The compiler offers only these conditions.
    private static var swift: String {
        #if compiler(>=6.4)
        "6.4 or later"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }
}
