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
