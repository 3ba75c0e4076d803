/// The common rules of file names and directories.
enum NameRules {
    /// The error in a single path component; nil if it is valid.
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

    /// Whether it is a C0 or C1 control, DEL, or a Unicode line or paragraph separator.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether it has the property `Bidi_Control` (Unicode Standard Annex 9): marks, embeddings, overrides and
    /// isolates.
    static func isBidiControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether the character is not allowed at the ends of a name: white space and invisible characters such as
    /// joiners, byte order marks and fillers. Allowed are variation selectors and the tags of flags, which modify the
    /// character before them.
    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isWhitespace { return true }
        switch scalar.value {
        case 0xFE00...0xFE0F, 0xE0020...0xE007F, 0xE0100...0xE01EF: return false
        default: return isUnseen(scalar)
        }
    }

    /// Whether the character has no visible form (`Default_Ignorable_Code_Point`, Unicode Standard Annex 44).
    static func isUnseen(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isDefaultIgnorableCodePoint }

    static func hasOuterSpace(_ name: String) -> Bool {
        let scalars = name.unicodeScalars
        return scalars.first.map(isSpace) ?? false || scalars.last.map(isSpace) ?? false
    }

    /// Whether Windows treats the name as a device, regardless of its extension ("Naming Files, Paths, and
    /// Namespaces").
    static func isReserved(_ name: String) -> Bool {
        // Every response shows a name, and few names begin like a device.
        guard let first = name.utf8.first, "aclnpACLNP".utf8.contains(first) else { return false }
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

/// Why a client's file name or directory is refused.
public enum InvalidName: String, Error, CaseIterable, Sendable {
    /// The name or a component of it is empty: `a//b`, `a/`.
    case empty
    /// More than 255 bytes, or more than 1024 for a directory.
    case tooLong = "too_long"
    /// A `/` or `\` where none is allowed, or at the start of a directory.
    case separator
    /// `.` or `..`.
    case dots
    /// A control character, which terminals and log viewers would interpret.
    case controlCharacter = "control_character"
    /// A character that changes the text direction, and so can hide the extension.
    case bidiControl = "bidi_control"
    /// The name begins with a dot.
    case hidden
    /// The name begins or ends with white space or an invisible character, or ends with a dot, which Windows would
    /// remove.
    case outerSpaceOrDot = "outer_space_or_dot"
    /// A device name on Windows, such as `con` or `nul.txt`.
    case reserved
}

extension InvalidName {
    /// A sentence that explains the error.
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
