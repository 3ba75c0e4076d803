public import Model

/// The body of `PATCH /hosts/{authority}`, merged as RFC 7396 says: what is absent stays, null clears.
public struct PatchHostBody: Hashable, Sendable {
    public var rateBytesPerSecond: DownloadEdit.Change<Int64>?

    public init(parsing bytes: [UInt8], as format: PatchFormat) throws(BodyFault) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        if format == .json { reader.requireChange(&list) }
        if reader.value("limits") == .null {
            rateBytesPerSecond = .clear
        } else if var limits = reader.object("limits", &list) {
            rateBytesPerSecond = limits.change("rate_bytes_per_second") { $0.rate(&list) }
            limits.finish(&list)
        }
        try reader.close(&list)
    }
}
