public import Core
import Transfer

extension GivenURL {
    /// Parses the URL of a download. One of a scheme that nothing is fetched by is read too: the destination policy
    /// refuses it.
    ///
    /// - Parameter pointer: The member that it comes from.
    public init(parsing text: String, at pointer: JSONPointer) throws(Violation) {
        try self.init(parsing: text, at: pointer, schemes: URLScheme.all)
    }

    fileprivate init(parsing text: String, at pointer: JSONPointer, schemes: Set<URLScheme>) throws(Violation) {
        do throws(InvalidURL) {
            self = try GivenURL(parsing: text, schemes: schemes)
        } catch {
            guard error.hasOtherScheme else { throw Violation(pointer, .malformed, error.detail) }
            self = GivenURL(url: DownloadURL(unsupported: text))
        }
    }
}

/// A URL in a request that is not the download's own: of http or https, and without user information.
public enum PlainURL {
    case mirror
    case refreshURL
    /// Of a webhook or a callback.
    case receiver

    /// Parses one. One of another scheme is read too: the destination policy refuses it.
    ///
    /// - Parameter pointer: The member that it comes from.
    public func parse(_ text: String, at pointer: JSONPointer) throws(Violation) -> DownloadURL {
        let given = try GivenURL(parsing: text, at: pointer, schemes: URLScheme.web)
        guard !given.hasUser else { throw Violation(pointer, .malformed, whyNoUser) }
        return given.url
    }

    private var whyNoUser: String {
        switch self {
        case .mirror: "A mirror has no user information: credentials go to the origin of \"url\" alone."
        case .refreshURL: "Expected a URL without user information: requests to it are signed."
        case .receiver: "Expected a URL without user information: deliveries are signed."
        }
    }
}
