/// Why a file name or a directory that a client chose is refused.
public enum InvalidName: String, Error, CaseIterable, Sendable {
    /// It is empty, or a part of it is: `a//b`, `a/`.
    case empty
    /// More than 255 bytes, or 1024 for a whole directory.
    case tooLong = "too_long"
    /// `/` or `\` where none may stand, or in front of a directory.
    case separator
    /// `.` or `..`.
    case dots
    /// A control character, which terminals and logs would obey.
    case controlCharacter = "control_character"
    /// A character that turns the direction of writing, and so can hide the extension.
    case bidiControl = "bidi_control"
    /// It begins with a dot.
    case hidden
    /// It begins or ends with white space or a character that is not seen, or ends with a dot, which some systems drop.
    case outerSpaceOrDot = "outer_space_or_dot"
    /// The name of a device on Windows, such as `con` or `nul.txt`.
    case reserved
}
