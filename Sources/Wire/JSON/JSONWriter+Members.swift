import Model

/// Members of an object. An optional value that is nil is written as null, so that every member is always there.
extension JSONWriter {
    mutating func member(_ name: String, _ value: String?) {
        self.name(name)
        if let value { string(value) } else { null() }
    }

    mutating func member(_ name: String, _ value: Int64?) {
        self.name(name)
        if let value { integer(value) } else { null() }
    }

    mutating func member(_ name: String, _ value: Int?) {
        member(name, value.map(Int64.init))
    }

    mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        raw(value ? "true" : "false")
    }

    mutating func member(_ name: String, _ value: Timestamp?) {
        self.name(name)
        if let value { instant(value) } else { null() }
    }

    /// Canonical JSON; an empty object in place of none.
    mutating func member(_ name: String, _ value: JSONText?) {
        self.name(name)
        raw(value?.text ?? "{}")
    }

    mutating func member(_ name: String, members body: (inout JSONWriter) -> Void) {
        self.name(name)
        object(body)
    }

    /// Digests by the names of their algorithms.
    mutating func digests(_ name: String, _ digests: [Digest]) {
        member(
            name,
            members: { writer in
                for digest in digests { writer.member(digest.algorithm.rawValue, digest.hex) }
            }
        )
    }
}
