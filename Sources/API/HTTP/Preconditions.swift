import Core
import HTTPFields
import HTTPServer
import HTTPTypes
import Service

/// The preconditions of a request (RFC 9110, section 13).
struct Preconditions {
    /// Without the mark of a compressed form: a change applies to every form.
    private let ifMatch: [String]?
    private let ifNoneMatch: [String]?
    private let ifModifiedSince: String?
    private let ifUnmodifiedSince: String?

    init(_ fields: HTTPFields) {
        ifMatch = fields[.ifMatch].map { Self.tags($0).map(ETags.plain) }
        ifNoneMatch = fields[.ifNoneMatch].map(Self.tags)
        ifModifiedSince = fields[.ifModifiedSince]
        ifUnmodifiedSince = fields[.ifUnmodifiedSince]
    }

    /// Whether the request has `If-Match`.
    var hasIfMatch: Bool { ifMatch != nil }

    /// Whether the request has `If-None-Match`.
    var hasIfNoneMatch: Bool { ifNoneMatch != nil }

    /// Whether `If-Match` allows the change. The comparison is strong: a weak tag never matches.
    func allowsChange(of etag: String) -> Bool {
        guard let ifMatch else { return true }
        return ifMatch.contains("*") || (!etag.isWeakTag && ifMatch.contains(etag))
    }

    /// Whether the client has this representation. The comparison is weak, as `If-None-Match` requires.
    func isNotModified(_ etag: String) -> Bool {
        guard let ifNoneMatch else { return false }
        return ifNoneMatch.contains { $0 == "*" || ETags.plain($0).opaqueTag == etag.opaqueTag }
    }

    /// Whether the client has the compressed form of this representation.
    func hasCompressed(_ etag: String) -> Bool {
        ifNoneMatch?.contains { $0.opaqueTag == ETags.gzipped(etag).opaqueTag } ?? false
    }

    /// Whether the preconditions allow this file. The date is used only without `If-Match` (RFC 9110, section 13.2.2).
    func allowsChange(of etag: String, lastModified: HTTPDate) -> Bool {
        guard ifMatch == nil, let date = ifUnmodifiedSince.flatMap({ HTTPDate($0, now: lastModified) }) else {
            return allowsChange(of: etag)
        }
        return lastModified <= date
    }

    /// Whether the client has this file. The date is used only without `If-None-Match` (section 13.2.2).
    func isNotModified(_ etag: String, lastModified: HTTPDate) -> Bool {
        guard ifNoneMatch == nil, let date = ifModifiedSince.flatMap({ HTTPDate($0, now: lastModified) }) else {
            return isNotModified(etag)
        }
        return lastModified <= date
    }

    /// Splits a list of tags. The service's tags contain no comma, so a foreign tag with a comma matches nothing.
    private static func tags(_ field: String) -> [String] {
        field.split(separator: ",").map { part in
            String(part.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
    }
}

extension String {
    fileprivate var isWeakTag: Bool { hasPrefix("W/") }

    /// The ETag without its weakness prefix.
    fileprivate var opaqueTag: Substring { isWeakTag ? dropFirst(2) : self[...] }
}

/// Helpers for requests that change a resource.
extension RequestContext {
    /// The media type of a PATCH, and the value of `Accept-Patch` (RFC 5789, section 3.1).
    static let acceptPatch = "application/json"

    /// Handles a PATCH. A refusal names the accepted media type (`Accept-Patch`, RFC 5789, section 3.1).
    func patching(
        _ change: () async throws -> ServerResponse
    ) async throws -> ServerResponse {
        do {
            return try await change()
        } catch {
            throw Problem(mapping: error).with(.acceptPatch, Self.acceptPatch)
        }
    }

    /// The revision that a change requires; nil for any. `If-Match` and the body's `expected_revision` must both match.
    ///
    /// - Parameters:
    ///   - expected: The body's `expected_revision`.
    ///   - refusal: The detail of the problem if the tag does not match.
    ///   - current: Returns the current tag and revision; called only if needed.
    func revision(
        expected: Int64? = nil,
        orSay refusal: String,
        _ current: () async throws -> (etag: String, revision: Int64)
    ) async throws -> Int64? {
        let preconditions = Preconditions(fields)
        guard preconditions.hasIfMatch else { return expected }
        let (etag, revision) = try await current()
        guard preconditions.allowsChange(of: etag) else { throw Problem(.preconditionFailed, refusal) }
        guard expected == nil || expected == revision else {
            throw Problem(because: .revisionMismatch(current: revision))
        }
        return revision
    }
}
