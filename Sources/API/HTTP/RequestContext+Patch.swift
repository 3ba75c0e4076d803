import HTTPTypes
import Jobs
import Model
import Wire

/// What a request to change something has, whatever it changes.
extension RequestContext {
    private static let patchTypes = [PatchDownloadBody.Kind.json, .mergePatch].map(\.rawValue)

    /// The value of `Accept-Patch` (RFC 5789, section 3.1).
    static let acceptPatch = patchTypes.joined(separator: ", ")

    /// The body of a PATCH, and which media type it is of.
    func patchBody() throws(Problem) -> (kind: PatchDownloadBody.Kind, bytes: [UInt8]) {
        let (type, bytes) = try body(of: Self.patchTypes)
        return (type == PatchDownloadBody.Kind.json.rawValue ? .json : .mergePatch, bytes)
    }

    /// The revision that `If-Match` speaks of, once its tag was found to be the current one; nil without `If-Match`.
    ///
    /// - Parameters:
    ///   - refusal: What is said where the tag is another.
    ///   - current: Asked for what is there, where it matters.
    func matchedRevision(
        orSay refusal: String,
        _ current: () async throws(JobError) -> (etag: String, revision: Int64)
    ) async throws(Problem) -> Int64? {
        let preconditions = Preconditions(fields)
        guard preconditions.hasIfMatch else { return nil }
        let (etag, revision) = try await asked(current)
        guard preconditions.allowsChange(of: etag) else { throw Problem(.preconditionFailed, refusal) }
        return revision
    }
}
