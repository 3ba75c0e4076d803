import TransferRules

/// What makes the bytes of a download durable before its file is finished.
///
/// ``PartFile`` is its own storage: bytes are durable once they are flushed. A place that keeps them elsewhere reads
/// them from the local part file.
protocol PartStorage: AnyObject, Sendable {
    /// The local file that the connections write. They call it directly, for each write.
    var part: PartFile { get }
    /// Makes written bytes durable. It is called by one task at a time, once for each flush.
    ///
    /// - Returns: The bytes of `written` that are durable now. The caller records only these.
    func makeDurable(_ written: FlushSnapshot) async throws(AttemptInterruption) -> FlushSnapshot
}
