/// What becomes of a URL that leads to a Metalink document (RFC 5854).
public enum MetalinkMode: String, CaseIterable, Hashable, Sendable {
    /// The file that the document describes is downloaded, from the URLs that it names.
    case follow
    /// The document itself is the file.
    case keep
}
