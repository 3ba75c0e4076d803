/// A stored attempt.
public struct LoggedDeliveryAttempt: Hashable, Sendable {
    /// The number of the attempt within the delivery, from 1.
    public let number: Int
    public let at: Timestamp
    public let fields: [DeliveryAttempt.Field]
    public let durationMilliseconds: Int64
    public let status: Int?
    public let error: String?
    public let responseExcerpt: [UInt8]
    public let nextAttemptAt: Timestamp?
    public let remoteAddress: String?

    public init(
        number: Int,
        at: Timestamp,
        fields: [DeliveryAttempt.Field] = [],
        durationMilliseconds: Int64,
        status: Int?,
        error: String?,
        responseExcerpt: [UInt8],
        nextAttemptAt: Timestamp?,
        remoteAddress: String?
    ) {
        self.number = number
        self.at = at
        self.fields = fields
        self.durationMilliseconds = durationMilliseconds
        self.status = status
        self.error = error
        self.responseExcerpt = responseExcerpt
        self.nextAttemptAt = nextAttemptAt
        self.remoteAddress = remoteAddress
    }
}
