public import Core
import Curl

extension GivenURL {
    /// Parses the URL of a download. Also accepts unsupported schemes, which the destination policy refuses.
    ///
    /// - Parameter pointer: The member with the URL.
    public init(parsing text: String, at pointer: JSONPointer) throws(Violation) {
        try self.init(parsing: text, at: pointer, schemes: URLScheme.all)
    }

    init(parsing text: String, at pointer: JSONPointer, schemes: Set<URLScheme>) throws(Violation) {
        do throws(URLParseError) {
            self = try GivenURL(parsing: text, schemes: schemes)
        } catch {
            guard case .unsupportedScheme = error else {
                throw Violation(pointer, error == .tooLong ? .tooLong : .malformed, error.description)
            }
            self = GivenURL(url: DownloadURL(unsupported: text))
        }
    }
}
