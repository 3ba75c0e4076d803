public import Core
import HTTPFields

extension Validator {
    /// The minimum age in seconds at which a date counts as strong.
    public static let strongDateAgeSeconds: Int64 = 60

    /// Creates the validator of a response.
    public init(_ response: OriginResponse, total: Int64?) {
        let lastModified = response.parsedLastModified
        let age = lastModified.flatMap { modified in response.parsedDate?.seconds(since: modified) }
        self.init(
            etag: response.entityTag,
            lastModified: lastModified,
            isLastModifiedStrong: age.map { $0 >= Self.strongDateAgeSeconds } ?? false,
            total: total,
            contentEncoding: ContentCoding.normalized(response.contentEncoding),
            contentType: response.mediaType?.essence
        )
    }

    /// The first difference between a whole response and the stored file; nil if both are certainly the same version.
    /// Without a strong validator they are not.
    func difference(from other: Validator) -> RestartReason? {
        if contentEncoding != other.contentEncoding { return .encodingChanged }
        if let total, let otherTotal = other.total, total != otherTotal { return .totalChanged }
        if etag != other.etag { return other.etag == nil ? .validatorMissing : .etagChanged }
        switch strength {
        case .entityTag: return nil
        case .date(let date), .dateBesideWeakTag(let date):
            guard let otherDate = other.lastModified else { return .validatorMissing }
            return date == otherDate ? nil : .lastModifiedChanged
        case .none: return .validatorMissing
        }
    }
}
