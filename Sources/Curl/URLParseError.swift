/// Why a text is not a URL that can be fetched.
public enum URLParseError: Error, Hashable, Sendable {
    case tooLong
    /// A control character, a space or a backslash, on which parsers are known to differ.
    case forbiddenCharacter
    /// It does not begin with a scheme, `://` and an authority. Nothing is guessed.
    case notAbsolute
    /// Well-formed, but of a scheme that is not fetched here; it is in lower case.
    case unsupportedScheme(String)
    /// The authority can be read in more than one way, as by two `@`.
    case ambiguousAuthority
    case badHost
    case badPort
    /// It names a folder of an FTP or SFTP server.
    case folder
    /// It has a query, which FTP and SFTP do not know.
    case queryOfFile
    /// Its path has a semicolon, behind which FTP has the type of a transfer; files are fetched as they are.
    case fileType
    /// libcurl's parser refused it for another reason.
    case malformed
}

extension URLParseError: CustomStringConvertible {
    /// A sentence for a person; it repeats nothing of the text but the scheme.
    public var description: String {
        switch self {
        case .tooLong: "The URL is longer than \(ParsedURL.maximumLength) bytes."
        case .forbiddenCharacter: "The URL holds a space, a backslash or a control character."
        case .notAbsolute: "The URL does not begin with a scheme, :// and a host."
        case .unsupportedScheme(let scheme): "The scheme '\(scheme)' is not supported here."
        case .ambiguousAuthority: "The URL's host can be read in more than one way."
        case .badHost: "The URL's host is not valid."
        case .badPort: "The URL's port is not a number from 1 to 65535."
        case .folder: "The URL ends in a slash: it names a folder, not a file."
        case .queryOfFile: "A URL of ftp, ftps or sftp has no query; a question mark in a name is written %3F."
        case .fileType: "A URL of ftp, ftps or sftp has no type; a semicolon in a name is written %3B."
        case .malformed: "The URL cannot be read."
        }
    }
}
