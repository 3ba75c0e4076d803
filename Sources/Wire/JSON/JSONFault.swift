/// Why bytes are not a JSON text that this service reads.
public struct JSONFault: Error, Hashable, Sendable {
    public let reason: Reason
    /// Where the fault was noticed, counted in bytes from the beginning.
    public let offset: Int

    public enum Reason: String, CaseIterable, Hashable, Sendable {
        case empty = "The body is empty."
        /// RFC 8259, section 8.1, forbids to add one and leaves it open to refuse one.
        case byteOrderMark = "The text begins with a byte order mark."
        case notUTF8 = "The text is not UTF-8."
        case unexpectedByte = "This is not JSON: a byte that cannot stand here."
        case unexpectedEnd = "The text ends too early."
        case trailingBytes = "Something follows the end of the JSON text."
        case tooDeep = "Arrays and objects are nested too deeply."
        /// RFC 8259, section 4: what they mean differs from reader to reader.
        case duplicateName = "An object has the same name twice."
        /// U+0000 cuts a text short wherever C reads it.
        case nullCharacter = "A string holds U+0000."
        case controlCharacter = "A string holds a control character that is not escaped."
        case badEscape = "A string holds an escape that JSON does not have."
        /// Half of a pair, as `\ud800`: no Unicode text has it.
        case loneSurrogate = "A string holds half of a surrogate pair."
        case badNumber = "A number is not spelled as JSON spells it."
        case numberTooLarge = "A number is too large, or has too many digits."
    }

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
