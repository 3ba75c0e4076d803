public import Core
import Transfer

extension GivenURL {
    /// Parses the URL of a download. Also accepts unsupported schemes, which the destination policy refuses.
    ///
    /// - Parameter pointer: The member with the URL.
    public init(parsing text: String, at pointer: JSONPointer) throws(Violation) {
        try self.init(parsing: text, at: pointer, schemes: URLScheme.all)
    }

    fileprivate init(parsing text: String, at pointer: JSONPointer, schemes: Set<URLScheme>) throws(Violation) {
        do throws(InvalidURL) {
            self = try GivenURL(parsing: text, schemes: schemes)
        } catch {
            guard error.hasOtherScheme else {
                throw Violation(pointer, error.isTooLong ? .tooLong : .malformed, error.detail)
            }
            self = GivenURL(url: DownloadURL(unsupported: text))
        }
    }
}

/// The URLs in a request except the download's own: http or https, without user information.
public enum PlainURL {
    case mirror
    case refreshURL
    /// The URL of a webhook or a callback.
    case receiver

    /// Parses a URL. Also accepts other schemes, which the destination policy refuses.
    ///
    /// - Parameter pointer: The member with the URL.
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
