extension InvalidName {
    /// What is wrong, as a sentence for a person.
    public var explanation: String {
        switch self {
        case .empty: "The name, or a part of it, is empty."
        case .tooLong: "The name is too long: 255 bytes for each part, 1024 for a directory."
        case .separator: "A slash or backslash stands where none may stand."
        case .dots: "'.' and '..' are no names."
        case .controlCharacter: "The name holds a control character."
        case .bidiControl: "The name holds a character that turns the direction of writing."
        case .hidden: "The name, or a part of it, begins with a dot."
        case .outerSpaceOrDot: "The name, or a part of it, begins or ends with white space, or ends with a dot."
        case .reserved: "The name, or a part of it, is that of a device on Windows."
        }
    }
}
