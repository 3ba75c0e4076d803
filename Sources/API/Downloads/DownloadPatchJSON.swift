import Core

/// The body of `PATCH /downloads/{id}`.
///
/// Members are merged as in RFC 7396: an absent member keeps its value, null clears it, objects are merged.
extension DownloadPatch {
    init(parsing bytes: [UInt8]) throws(BodyError) {
        self.init()
        var reader = try ObjectReader(body: bytes)
        reader.requireChange()
        readAction(&reader)
        reader.refuseNull("url", "method")
        url = reader.givenURL("url")
        for member in RequestMember.all { member.change(from: &reader, of: &edit) }
        directory = reader.change("directory", .directory)
        expected = reader.expectedPatch()
        requestHeaders = reader.headerPatch()
        authentication = reader.authenticationChange()
        cookies = reader.cookiePatch()
        post = reader.postPatch()
        proxy = reader.change("proxy") { $0.proxy() }
        edit.retention = reader.retentionChanges()
        labels = reader.objectPatch(.labels)
        metadata = reader.objectPatch(.metadata)
        try reader.close()
    }

    private mutating func readAction(_ reader: inout ObjectReader) {
        reader.refuseNull("action", "keep_partial", "force")
        action = reader.word("action")
        keepsPartial = reader.bool("keep_partial") ?? false
        forces = reader.bool("force") ?? false
        if forces, action != .retry { reader.refuse("force", .forbidden, "Only with \"action\": \"retry\".") }
        if keepsPartial { reader.require("action") }
        expectedRevision = reader.expectedRevision(from: 1)
    }
}
