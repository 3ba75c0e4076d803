import HTTPTypes
import Jobs
import MicroHTTP
import Model
import Wire

/// What a request to change something has, whatever it changes.
extension RequestContext {
    static let patchTypes = [PatchFormat.json, .mergePatch].map(\.rawValue)

    /// The value of `Accept-Patch` (RFC 5789, section 3.1).
    static let acceptPatch = patchTypes.joined(separator: ", ")

    /// Answers a PATCH. Whoever is refused is told what its body may be, too.
    func patching(
        _ change: () async throws(Problem) -> ServerResponse
    ) async throws(Problem) -> ServerResponse {
        do throws(Problem) {
            return try await change()
        } catch {
            throw error.with(.acceptPatch, Self.acceptPatch)
        }
    }

    /// Which of the two media types the body of a PATCH is of.
    var patchFormat: PatchFormat {
        let essence = fields[.contentType].flatMap { MediaType($0)?.essence }
        return essence == PatchFormat.mergePatch.rawValue ? .mergePatch : .json
    }

    /// The revision that a change is to find; nil where it may find any. What `If-Match` says and what the body expects
    /// have to hold both.
    ///
    /// - Parameters:
    ///   - expected: The body's `expected_revision`.
    ///   - refusal: What is said where the tag is another.
    ///   - current: Asked for what is there, where it matters.
    func revision(
        expected: Int64? = nil,
        orSay refusal: String,
        _ current: () async throws(JobError) -> (etag: String, revision: Int64)
    ) async throws(Problem) -> Int64? {
        let preconditions = Preconditions(fields)
        guard preconditions.hasIfMatch else { return expected }
        let (etag, revision) = try await asked(current)
        guard preconditions.allowsChange(of: etag) else { throw Problem(.preconditionFailed, refusal) }
        guard expected == nil || expected == revision else {
            throw Problem(because: .revisionMismatch(current: revision))
        }
        return revision
    }
}
