/// The rules that file names and directories share.
enum NameRules {
    /// What is wrong with a single component of a path, or nil.
    static func fault(inComponent name: String) -> InvalidName? {
        if name.isEmpty { return .empty }
        if name.utf8.count > FileName.maximumBytes { return .tooLong }
        if name == "." || name == ".." { return .dots }
        for scalar in name.unicodeScalars {
            if isSeparator(scalar) { return .separator }
            if isControl(scalar) { return .controlCharacter }
            if isBidiControl(scalar) { return .bidiControl }
        }
        if hasOuterSpace(name) || name.hasSuffix(".") || name.unicodeScalars.allSatisfy(isUnseen) {
            return .outerSpaceOrDot
        }
        if name.hasPrefix(".") { return .hidden }
        return isReserved(name) ? .reserved : nil
    }

    static func isSeparator(_ scalar: Unicode.Scalar) -> Bool { scalar == "/" || scalar == "\\" }

    /// C0, DEL, C1, and the two Unicode line ends.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
        default: false
        }
    }

    /// The property `Bidi_Control` (Unicode Standard Annex 9): marks, embeddings, overrides and isolates.
    static func isBidiControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// White space, and invisible characters that are not allowed at an end of a name: joiners, byte order marks,
    /// fillers. Those that change the character before them are allowed: variation selectors, and tags of flags.
    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isWhitespace { return true }
        switch scalar.value {
        case 0xFE00...0xFE0F, 0xE0020...0xE007F, 0xE0100...0xE01EF: return false
        default: return isUnseen(scalar)
        }
    }

    /// Whether the character is invisible by itself (`Default_Ignorable_Code_Point`, Unicode Standard Annex 44).
    static func isUnseen(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isDefaultIgnorableCodePoint }

    static func hasOuterSpace(_ name: String) -> Bool {
        let scalars = name.unicodeScalars
        return scalars.first.map(isSpace) ?? false || scalars.last.map(isSpace) ?? false
    }

    /// Whether Windows treats the name as a device, whatever its extension ("Naming Files, Paths, and Namespaces").
    static func isReserved(_ name: String) -> Bool {
        let stem = name.unicodeScalars.prefix { $0 != "." && $0 != ":" }
        let count = stem.reversed().drop(while: isSpace).count
        return devices.contains(String(stem.prefix(count)).lowercased())
    }

    private static let devices: Set<String> = {
        let numbers = (0...9).map(String.init) + ["\u{B9}", "\u{B2}", "\u{B3}"]
        let ports = numbers.flatMap { ["com\($0)", "lpt\($0)"] }
        return Set(["con", "prn", "aux", "nul", "conin$", "conout$"] + ports)
    }()
}

/// Why a file name or a directory that a client chose is refused.
public enum InvalidName: String, Error, CaseIterable, Sendable {
    /// It is empty, or a part of it is: `a//b`, `a/`.
    case empty
    /// More than 255 bytes, or 1024 for a whole directory.
    case tooLong = "too_long"
    /// `/` or `\` where none is allowed, or at the start of a directory.
    case separator
    /// `.` or `..`.
    case dots
    /// A control character, which terminals and logs would obey.
    case controlCharacter = "control_character"
    /// A character that changes the direction of writing, and so can hide the extension.
    case bidiControl = "bidi_control"
    /// It begins with a dot.
    case hidden
    /// It begins or ends with white space or an invisible character, or ends with a dot, which some systems drop.
    case outerSpaceOrDot = "outer_space_or_dot"
    /// The name of a device on Windows, such as `con` or `nul.txt`.
    case reserved
}

extension InvalidName {
    /// What is wrong, in a sentence.
    public var explanation: String {
        switch self {
        case .empty: "The name, or a part of it, is empty."
        case .tooLong: "The name is too long: 255 bytes for each part, 1024 for a directory."
        case .separator: "The name has a slash or backslash where none is allowed."
        case .dots: "'.' and '..' are no names."
        case .controlCharacter: "The name has a control character."
        case .bidiControl: "The name has a character that changes the direction of writing."
        case .hidden: "The name, or a part of it, begins with a dot."
        case .outerSpaceOrDot: "The name, or a part of it, begins or ends with white space, or ends with a dot."
        case .reserved: "The name, or a part of it, is the name of a Windows device."
        }
    }
}
