/// Why a text is not read as XML.
public enum XMLFault: Error, Hashable, Sendable {
    /// Not well-formed (XML 1.0, section 2.1), or not UTF-8.
    case malformed
    /// A document type declaration: entities that expand without end, or name files, begin there.
    case documentType
    /// Deeper, or with more attributes, than any document that is of use here.
    case tooDeep
}
