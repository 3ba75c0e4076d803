import CMicroHTTPD

/// The libmicrohttpd library that the process has loaded, which may be newer than the one it was built with.
public enum MicroHTTPLibrary {
    /// The version of the loaded library, for example `0.9.75`.
    public static var versionText: String { String(cString: MHD_get_version()) }

    /// Whether the library refuses what it cannot report: folded lines, NUL, and bare line feeds in heads, chunks and
    /// trailers. It then has `MHD_OPTION_CLIENT_DISCIPLINE_LVL`.
    ///
    /// Before version 1.0 it does not, and the server reads the library's memory instead (``HeadLayout``,
    /// ``ChunkLines``). The layout of that memory is the one of 0.9.75. It is not guessed for any later version.
    static let parsesStrictly = parsesStrictly(version: versionText)

    /// - Parameter version: Numbers separated by dots. A text of another form is a version before 1.0: if the layout is
    ///   another one, every request is refused.
    static func parsesStrictly(version: String) -> Bool {
        UInt(version.prefix { $0 != "." }) ?? 0 >= 1
    }
}
