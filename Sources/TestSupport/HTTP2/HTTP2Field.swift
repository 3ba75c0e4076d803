import CNGHTTP2

/// The fields of a head in the form in which the library takes them; it copies what it is given.
enum HTTP2Field {
    static func withAll(
        _ fields: [(String, String)],
        _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Void
    ) {
        var bytes = fields.flatMap { Array($0.0.utf8) + Array($0.1.utf8) }
        bytes.withUnsafeMutableBufferPointer { bytes in
            guard var next = bytes.baseAddress else { return }
            let pairs = fields.map { name, value in
                defer { next += name.utf8.count + value.utf8.count }
                return nghttp2_nv(
                    name: next,
                    value: next + name.utf8.count,
                    namelen: name.utf8.count,
                    valuelen: value.utf8.count,
                    flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
                )
            }
            pairs.withUnsafeBufferPointer(body)
        }
    }
}
