public import Core
import Transfer

extension GivenURL {
    /// Parses the URL of a download. Also accepts unsupported schemes, which the destination policy refuses.
    ///
    /// - Parameter pointer: The member with the URL.
    public init(parsing text: String, at pointer: JSONPointer) throws(Violation) {
        try self.init(parsing: text, at: pointer, schemes: URLScheme.all)
    }

    init(parsing text: String, at pointer: JSONPointer, schemes: Set<URLScheme>) throws(Violation) {
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
