public import Model

/// The body of `PATCH /sessions/{name}`, merged as RFC 7396 says: what is absent stays, null clears, objects are merged
/// name by name.
public struct PatchSessionBody: Hashable, Sendable {
    public var rateBytesPerSecond: DownloadEdit.Change<Int64>?
    public var maxConcurrent: DownloadEdit.Change<Int>?
    public var maxBytes: DownloadEdit.Change<Int64>?
    public var labels: ClientObjectPatch?
    /// Still text.
    public var callbackURL: DownloadEdit.Change<String>?
    public var expectedRevision: Int64?

    /// - Parameter format: `expected_revision` is a member of JSON alone.
    public init(parsing bytes: [UInt8], as format: PatchFormat) throws(BodyFault) {
        let value: JSONValue
        do throws(JSONFault) { value = try JSONValue(parsing: bytes) } catch { throw .json(error) }
        var list = ViolationList()
        guard var reader = ObjectReader(value, at: .root, &list) else { throw .violations(list.violations) }
        if format == .json {
            if value == .object([]) { list.add(.root, .required, "Say what is to change.") }
            reader.refuseNull(["expected_revision"], &list)
            expectedRevision = reader.integer("expected_revision", in: 1...JSONValue.maximumInteger, &list)
        }
        if reader.value("limits") == .null {
            (rateBytesPerSecond, maxConcurrent, maxBytes) = (.clear, .clear, .clear)
        } else if var limits = reader.object("limits", &list) {
            rateBytesPerSecond = limits.change("rate_bytes_per_second") { $0.rate(&list) }
            maxConcurrent = limits.change("max_concurrent") { $0.maxConcurrent(&list) }
            maxBytes = limits.change("max_bytes") { $0.maxBytes(&list) }
            limits.finish(&list)
        }
        labels = reader.clientObjectPatch(.labels, &list)
        callbackURL = reader.change("callback_url") { $0.url("callback_url", &list) }
        reader.finish(&list)
        try list.throwIfAny()
    }

    /// - Throws: When the labels would outgrow their limits.
    public func applied(to current: SessionSettings) throws(BodyFault) -> SessionSettings {
        var settings = current
        if let rateBytesPerSecond { settings.rateBytesPerSecond = rateBytesPerSecond.value }
        if let maxConcurrent { settings.maxConcurrent = maxConcurrent.value }
        if let maxBytes { settings.maxBytes = maxBytes.value }
        if let labels { settings.labels = try labels.applied(to: current.labels).value }
        if let callbackURL { settings.callbackURL = callbackURL.value }
        return settings
    }
}
