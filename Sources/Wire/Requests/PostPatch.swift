public import Model

/// What a patch does to the method of a download's requests, and to their body.
public struct PostPatch: Hashable, Sendable {
    /// Nil leaves it.
    public let method: RequestMethod?
    /// Nil leaves it.
    public let body: DownloadEdit.Change<[UInt8]>?

    public init(method: RequestMethod? = nil, body: DownloadEdit.Change<[UInt8]>? = nil) {
        self.method = method
        self.body = body
    }

    /// The body of a POST after the patch, nil for a GET, made from the one before.
    ///
    /// - Throws: ``BodyFault/violations(_:)`` where a GET would have a body.
    public func applied(to current: [UInt8]?) throws(BodyFault) -> [UInt8]? {
        let method = method ?? (current == nil ? .get : .post)
        guard method == .post else {
            guard body?.value == nil else { throw .violations([Self.needsPost]) }
            return nil
        }
        return body.map { $0.value ?? [] } ?? current ?? []
    }

    static let needsPost = WireViolation(
        JSONPointer.root.appending("body"),
        .forbidden,
        "Only a request by POST has a body."
    )
}

/// The members `method` and `body`.
extension ObjectReader {
    /// The body of a POST; nil for a GET.
    mutating func post(_ list: inout ViolationList) -> [UInt8]? {
        let method: RequestMethod = word("method", &list) ?? .get
        let body = body(&list)
        if method == .post { return body ?? [] }
        if body != nil { list.add(PostPatch.needsPost.pointer, PostPatch.needsPost.code, PostPatch.needsPost.detail) }
        return nil
    }

    mutating func postPatch(_ list: inout ViolationList) -> PostPatch? {
        let method: RequestMethod? = word("method", &list)
        let patch = PostPatch(method: method, body: change("body") { $0.body(&list) })
        return patch == PostPatch() ? nil : patch
    }

    private mutating func body(_ list: inout ViolationList) -> [UInt8]? {
        guard var reader = object("body", &list) else { return nil }
        defer { reader.finish(&list) }
        let text = reader.string("text", &list)
        let base64 = reader.string("base64", &list)
        switch (reader.present("text"), reader.present("base64")) {
        case (nil, nil): list.add(reader.pointer, .required, "Give the body as \"text\" or as \"base64\".")
        case (.some, .some): list.add(reader.pointer, .forbidden, "Give the body once, as \"text\" or as \"base64\".")
        default: break
        }
        guard text != nil || base64 != nil else { return nil }
        guard let bytes = text.map({ Array($0.utf8) }) ?? base64.flatMap({ Base64.decode($0.utf8) }) else {
            list.add(reader.pointer.appending("base64"), .malformed, "Expected base 64 (RFC 4648, section 4).")
            return nil
        }
        guard bytes.count <= RequestFieldRules.maximumBodyBytes else {
            list.add(reader.pointer, .tooLong, "A body has at most \(RequestFieldRules.maximumBodyBytes) bytes.")
            return nil
        }
        return bytes
    }
}
