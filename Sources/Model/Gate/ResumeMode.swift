/// How a request relates to the bytes at hand; for logs and attempt records.
public enum ResumeMode: String, CaseIterable, Sendable {
    /// Nothing is there yet: the answer's head is the probe.
    case first
    /// The origin itself compares a strong validator.
    case validated
    /// The origin compares a date, and so does the gate.
    case validatedDate = "validated_date"
    /// Bytes are compared.
    case overlap
    /// The bytes at hand are of no use.
    case restart
    /// Nothing is left to ask for.
    case complete
}
