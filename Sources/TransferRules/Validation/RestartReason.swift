import Core

/// Why stored bytes are discarded.
public enum RestartReason: String, CaseIterable, Sendable {
    /// The ETag is different.
    case etagChanged = "etag_changed"
    /// The size of the whole file is different.
    case totalChanged = "total_changed"
    case lastModifiedChanged = "last_modified_changed"
    case encodingChanged = "encoding_changed"
    /// The origin responded to a range request with the whole file.
    case rangeIgnored = "range_ignored"
    /// The origin sent another range than the requested one.
    case rangeMismatch = "range_mismatch"
    /// The condition of the request failed (412).
    case preconditionFailed = "precondition_failed"
    /// Nothing in the response proves that it belongs to the stored bytes.
    case validatorMissing = "validator_missing"
    /// No stored validator allows a resume.
    case notResumable = "not_resumable"
    /// Repeated bytes differ from the stored ones.
    case overlapDiffers = "overlap_differs"
    /// The origin has no further byte, and nothing proves that the stored ones are the whole file.
    case endUnproven = "end_unproven"

    /// Whether the origin's file has changed. The other reasons only mean that the stored bytes cannot be continued.
    public var isChange: Bool {
        switch self {
        case .etagChanged, .totalChanged, .lastModifiedChanged, .encodingChanged, .preconditionFailed,
            .overlapDiffers:
            true
        case .rangeIgnored, .rangeMismatch, .validatorMissing, .notResumable, .endUnproven: false
        }
    }
}
