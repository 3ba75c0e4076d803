/// Why a text is not a URL that can be fetched.
public enum URLParseError: Error, Hashable, Sendable {
    case tooLong
    /// A control character, a space or a backslash, on which parsers are known to differ.
    case forbiddenCharacter
    /// It does not begin with a scheme, `://` and an authority. Nothing is guessed.
    case notAbsolute
    /// Well-formed, but neither `http` nor `https`; the scheme is in lower case.
    case unsupportedScheme(String)
    /// The authority can be read in more than one way, as by two `@`.
    case ambiguousAuthority
    case badHost
    case badPort
    /// libcurl's parser refused it for another reason.
    case malformed
}

extension URLParseError: CustomStringConvertible {
    /// A sentence for a person; it repeats nothing of the text but the scheme.
    public var description: String {
        switch self {
        case .tooLong: "The URL is longer than \(ParsedURL.maximumLength) bytes."
        case .forbiddenCharacter: "The URL holds a space, a backslash or a control character."
        case .notAbsolute: "The URL does not begin with http:// or https:// and a host."
        case .unsupportedScheme(let scheme): "The scheme '\(scheme)' is not supported, only http and https are."
        case .ambiguousAuthority: "The URL's host can be read in more than one way."
        case .badHost: "The URL's host is not valid."
        case .badPort: "The URL's port is not a number from 1 to 65535."
        case .malformed: "The URL cannot be read."
        }
    }
}
