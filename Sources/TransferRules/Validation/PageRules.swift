public import Core
import HTTPFields

/// Whether a web page can be the requested file.
extension DownloadRequest {
    /// Whether a web page in place of the file most likely means an expired URL: the request has a `refresh_url`, and
    /// nothing says that the file is a web page.
    public var expectsNoPage: Bool {
        guard refreshURL != nil, !acceptsHTML, !expectsPage else { return false }
        return !names.contains { name in Self.pageEndings.contains { name.lowercased().hasSuffix($0) } }
    }

    /// Whether a web page is never the file: the client expects another media type, or the file's name has the suffix
    /// of another file.
    ///
    /// The client's statements come first: `accept_html`, then the expected type, then the suffix of `filename`. The
    /// suffix in the URL decides last.
    public var refusesPage: Bool {
        guard !acceptsHTML else { return false }
        if expected.mediaType != nil { return !expectsPage }
        return names.lazy.compactMap(FileSuffix.kind).first == .file
    }

    private var expectsPage: Bool { expected.mediaType?.isWebPage ?? false }

    private var names: [String] { [filename?.value, FileName.lastPathComponent(ofURL: url.text)].compactMap(\.self) }

    private static let pageEndings = [".html", ".htm", ".xhtml", ".xht"]
}

extension OriginResponse {
    /// Whether the response is a web page. A page that is named as another file is taken for that file: programs often
    /// send files with the type of a page, and no login page is named like that.
    public var isPage: Bool {
        guard mediaType?.isWebPage == true else { return false }
        let name = contentDisposition.flatMap(FileName.suggested(byContentDisposition:))
        return name.flatMap { FileSuffix.kind(ofName: $0.value) } != .file
    }

    /// The error for a web page in place of the requested file; nil if the response can be the file.
    public func refusal(of request: DownloadRequest) -> DownloadError? {
        request.refusesPage && isPage ? unexpectedPage : nil
    }

    var unexpectedPage: DownloadError {
        DownloadError(
            .unexpectedPage,
            message: """
                The origin sent a web page (\(mediaType?.essence ?? "no type")) in place of the file. Check the URL \
                and the credentials, or set accept_html to true if the page is wanted.
                """,
            httpStatus: status
        )
    }
}
