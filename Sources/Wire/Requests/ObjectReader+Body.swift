/// The one object that a body is.
extension ObjectReader {
    init(body bytes: [UInt8]) throws(BodyFault) {
        try self.init(body: JSONValue(body: bytes))
    }

    /// - Parameter pointer: Where the object stands in the request.
    init(body value: JSONValue, at pointer: JSONPointer = .root) throws(BodyFault) {
        var list = ViolationList()
        guard let reader = ObjectReader(value, at: pointer, &list) else { throw .violations(list.violations) }
        self = reader
    }

    /// Ends the reading.
    ///
    /// - Throws: All that was noted, the members that nobody asked for included.
    func close(_ list: inout ViolationList) throws(BodyFault) {
        finish(&list)
        try list.throwIfAny()
    }
}

extension JSONValue {
    /// - Throws: ``BodyFault/json(_:)`` for what is no JSON.
    init(body bytes: [UInt8]) throws(BodyFault) {
        do throws(JSONFault) { self = try JSONValue(parsing: bytes) } catch { throw .json(error) }
    }
}
