/// Why bytes that were downloaded are given up.
public enum RestartReason: String, CaseIterable, Sendable {
    /// The entity tag is another.
    case etagChanged = "etag_changed"
    /// The size of the whole file is another.
    case totalChanged = "total_changed"
    case lastModifiedChanged = "last_modified_changed"
    case encodingChanged = "encoding_changed"
    /// The origin answered a range with the whole file.
    case rangeIgnored = "range_ignored"
    /// The origin sent another range than the one asked for.
    case rangeMismatch = "range_mismatch"
    /// The condition of the request failed: 412.
    case preconditionFailed = "precondition_failed"
    /// Nothing in the response proves that it belongs to the bytes at hand.
    case validatorMissing = "validator_missing"
    /// Nothing was stored by which the download could have gone on.
    case notResumable = "not_resumable"
    /// Bytes that were fetched a second time came out different.
    case overlapDiffers = "overlap_differs"

    /// Whether the origin's file is another by now. The other reasons say only that nothing can be added to the bytes.
    public var isChange: Bool {
        switch self {
        case .etagChanged, .totalChanged, .lastModifiedChanged, .encodingChanged, .preconditionFailed,
            .overlapDiffers:
            true
        case .rangeIgnored, .rangeMismatch, .validatorMissing, .notResumable: false
        }
    }
}
