extension Validator {
    /// The first thing in which a whole response differs from what was stored, or nil when both surely are the same
    /// version: with nothing strong to compare they are not.
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
