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

    /// White space, and characters without a form that may not stand at an end of a name: joiners, marks of the order
    /// of bytes, fillers. What changes the form of the character before it may: variation selectors, and tags of flags.
    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isWhitespace { return true }
        switch scalar.value {
        case 0xFE00...0xFE0F, 0xE0020...0xE007F, 0xE0100...0xE01EF: return false
        default: return isUnseen(scalar)
        }
    }

    /// Whether nothing is to be seen of the character by itself (`Default_Ignorable_Code_Point`, Unicode Standard Annex
    /// 44).
    static func isUnseen(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isDefaultIgnorableCodePoint }

    static func hasOuterSpace(_ name: String) -> Bool {
        let scalars = name.unicodeScalars
        return scalars.first.map(isSpace) ?? false || scalars.last.map(isSpace) ?? false
    }

    /// Whether Windows takes the name for a device, whatever its extension ("Naming Files, Paths, and Namespaces").
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
