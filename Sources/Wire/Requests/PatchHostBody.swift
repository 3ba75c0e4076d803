public import Model

/// The body of `PATCH /hosts/{authority}`, merged as RFC 7396 says: what is absent stays, null clears.
public struct PatchHostBody: Hashable, Sendable {
    public var rateBytesPerSecond: DownloadEdit.Change<Int64>?

    public init(parsing bytes: [UInt8], as format: PatchFormat) throws(BodyFault) {
        let value: JSONValue
        do throws(JSONFault) { value = try JSONValue(parsing: bytes) } catch { throw .json(error) }
        var list = ViolationList()
        guard var reader = ObjectReader(value, at: .root, &list) else { throw .violations(list.violations) }
        if format == .json, value == .object([]) { list.add(.root, .required, "Say what is to change.") }
        if reader.value("limits") == .null {
            rateBytesPerSecond = .clear
        } else if var limits = reader.object("limits", &list) {
            rateBytesPerSecond = limits.change("rate_bytes_per_second") { $0.rate(&list) }
            limits.finish(&list)
        }
        reader.finish(&list)
        try list.throwIfAny()
    }
}
