internal import CMicroHTTPD
internal import HTTPTypes

extension ServerRequest.Head {
    /// Reads and judges the head that libmicrohttpd has parsed.
    ///
    /// Its own URL is not used: it is decoded, and cut at an encoded NUL.
    static func read(
        _ call: AccessCall,
        of exchange: Exchange,
        maxTargetBytes: Int
    ) throws(Refusal) -> (head: Self, length: BodyLength) {
        guard call.targetLength(from: exchange.targetAddress) == exchange.target.count else {
            throw Refusal(.badTarget, "The request target has a NUL.")
        }
        guard exchange.target.count <= maxTargetBytes else {
            throw Refusal(.targetTooLong, "The request target is longer than \(maxTargetBytes) bytes.")
        }
        let name = call.methodName
        guard
            call.methodLength(to: exchange.targetAddress) == name.utf8.count,
            let method = HTTPRequest.Method(name)
        else { throw Refusal(.badMethod, "The method is no token.") }
        var reading = HeadReading(layout: HeadLayout(behind: call.version))
        withUnsafeMutablePointer(to: &reading) {
            _ = MHD_get_connection_values_n(call.connection, .HEADER_KIND, addField, $0)
        }
        guard reading.layout.ends(at: call.headEnd) else {
            throw Refusal(.badField, "A line of the head is folded, has a NUL or ends in a bare line feed.")
        }
        var audit = reading.audit
        try audit.check(isHTTP10: call.isHTTP10)
        guard method != .connect else { throw Refusal(.notImplemented, "This server is no proxy.") }
        let target = try RequestTarget(
            raw: exchange.target,
            authority: audit.authority,
            isOptions: method == .options
        )
        let head = Self(
            method: method,
            target: String(decoding: exchange.target, as: UTF8.self),
            path: target.path,
            query: target.query,
            authority: audit.authority,
            host: audit.host,
            isHTTP10: call.isHTTP10,
            headerFields: audit.fields,
            remoteAddress: exchange.connection.remoteAddress
        )
        return (head, audit.bodyLength)
    }
}

/// What one walk over the fields finds out.
private struct HeadReading {
    var audit = FieldAudit()
    var layout: HeadLayout
}

/// `MHD_KeyValueIteratorN`: the context is the `HeadReading` of the one call that iterates.
private func addField(
    _ context: UnsafeMutableRawPointer?,
    _ kind: MHD_ValueKind,
    _ name: UnsafePointer<CChar>?,
    _ nameLength: Int,
    _ value: UnsafePointer<CChar>?,
    _ valueLength: Int
) -> MHD_Result {
    guard let reading = context?.assumingMemoryBound(to: HeadReading.self), let name, let value else { return .NO }
    reading.pointee.layout.add(name: UnsafeRawPointer(name), nameLength, value: UnsafeRawPointer(value), valueLength)
    reading.pointee.audit.add(name: string(name, nameLength), value: string(value, valueLength))
    return .YES
}

private func string(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
}
