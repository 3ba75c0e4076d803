/// How the body of a PATCH is to be understood: its media type.
public enum PatchFormat: String, CaseIterable, Sendable {
    /// Members, and what is to be done or expected beside them.
    case json = "application/json"
    /// Members only (RFC 7396).
    case mergePatch = "application/merge-patch+json"
}
