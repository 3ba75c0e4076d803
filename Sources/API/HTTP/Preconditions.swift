import Core
import HTTPFields
import HTTPServer
import HTTPTypes
import Service

/// The conditions of a request on the state that its client saw (RFC 9110, section 13).
struct Preconditions {
    private let ifMatch: [String]?
    private let ifNoneMatch: [String]?
    private let ifModifiedSince: String?
    private let ifUnmodifiedSince: String?

    init(_ fields: HTTPFields) {
        ifMatch = fields[.ifMatch].map(Self.tags)
        ifNoneMatch = fields[.ifNoneMatch].map(Self.tags)
        ifModifiedSince = fields[.ifModifiedSince]
        ifUnmodifiedSince = fields[.ifUnmodifiedSince]
    }

    /// Whether the request makes itself depend on what is there.
    var hasIfMatch: Bool { ifMatch != nil }

    /// Whether it makes itself depend on what is not there.
    var hasIfNoneMatch: Bool { ifNoneMatch != nil }

    /// Whether `If-Match` allows the change: by strong comparison, so a weak tag never does.
    func allowsChange(of etag: String) -> Bool {
        guard let ifMatch else { return true }
        return ifMatch.contains("*") || (!etag.isWeakTag && ifMatch.contains(etag))
    }

    /// Whether the client has this already: by weak comparison, as `If-None-Match` asks.
    func isNotModified(_ etag: String) -> Bool {
        guard let ifNoneMatch else { return false }
        return ifNoneMatch.contains { $0 == "*" || $0.opaqueTag == etag.opaqueTag }
    }

    /// Whether the preconditions allow this file. Its date counts if there is no `If-Match` (RFC 9110, section 13.2.2).
    func allowsChange(of etag: String, lastModified: HTTPDate) -> Bool {
        guard ifMatch == nil, let date = ifUnmodifiedSince.flatMap({ HTTPDate($0, now: lastModified) }) else {
            return allowsChange(of: etag)
        }
        return lastModified <= date
    }

    /// Whether the client has this file. Its date counts if there is no `If-None-Match` (section 13.2.2).
    func isNotModified(_ etag: String, lastModified: HTTPDate) -> Bool {
        guard ifNoneMatch == nil, let date = ifModifiedSince.flatMap({ HTTPDate($0, now: lastModified) }) else {
            return isNotModified(etag)
        }
        return lastModified <= date
    }

    /// Splits a list of tags. The service's tags have no comma, so a foreign tag with one is simply not found.
    private static func tags(_ field: String) -> [String] {
        field.split(separator: ",").map { part in
            String(part.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
    }
}

extension String {
    fileprivate var isWeakTag: Bool { hasPrefix("W/") }

    /// An entity tag without its mark of weakness.
    fileprivate var opaqueTag: Substring { isWeakTag ? dropFirst(2) : self[...] }
}

/// What a request to change something has, whatever it changes.
extension RequestContext {
    /// The media type of a PATCH, and the value of `Accept-Patch` (RFC 5789, section 3.1).
    static let acceptPatch = "application/json"

    /// Answers a PATCH. A refusal names the accepted media type (`Accept-Patch`, RFC 5789, section 3.1).
    func patching(
        _ change: () async throws(Problem) -> ServerResponse
    ) async throws(Problem) -> ServerResponse {
        do throws(Problem) {
            return try await change()
        } catch {
            throw error.with(.acceptPatch, Self.acceptPatch)
        }
    }

    /// The revision that a change requires; nil for any. `If-Match` and the body's `expected_revision` must both match.
    ///
    /// - Parameters:
    ///   - expected: The body's `expected_revision`.
    ///   - refusal: The text of the problem if the tag is another one.
    ///   - current: Returns the current tag and revision; called only if needed.
    func revision(
        expected: Int64? = nil,
        orSay refusal: String,
        _ current: () async throws(ServiceError) -> (etag: String, revision: Int64)
    ) async throws(Problem) -> Int64? {
        let preconditions = Preconditions(fields)
        guard preconditions.hasIfMatch else { return expected }
        let (etag, revision) = try await mappingServiceErrors(current)
        guard preconditions.allowsChange(of: etag) else { throw Problem(.preconditionFailed, refusal) }
        guard expected == nil || expected == revision else {
            throw Problem(because: .revisionMismatch(current: revision))
        }
        return revision
    }
}
