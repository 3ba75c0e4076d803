import Core

/// The body of `PATCH /downloads/{id}`.
///
/// Members are merged as in RFC 7396: an absent member keeps its value, null clears it, objects are merged.
extension DownloadPatch {
    init(parsing bytes: [UInt8]) throws(BodyError) {
        self.init()
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        reader.requireChange(&list)
        reader.refuseNull(["action", "keep_partial", "force"], &list)
        action = reader.word("action", &list)
        keepsPartial = reader.bool("keep_partial", &list) ?? false
        forces = reader.bool("force", &list) ?? false
        if forces, action != .retry {
            list.add(reader.pointer.appending("force"), .forbidden, "Only with \"action\": \"retry\".")
        }
        expectedRevision = reader.expectedRevision(from: 1, &list)
        if keepsPartial { reader.require("action", &list) }
        reader.refuseNull(["url", "deadline_at", "priority", "method", "accept_html"], &list)
        url = reader.givenURL("url", &list)
        edit.mirrors = reader.value("mirrors") == .null ? [] : reader.mirrors(&list)
        edit.refreshURL = reader.refreshURLChange(&list)
        edit.root = reader.change("root") { $0.root(&list) }
        edit.session = reader.change("session") { $0.session(&list) }
        directory = reader.change("directory") { $0.directory(&list) }
        edit.filename = reader.change("filename") { $0.filename(&list) }
        expected = reader.expectedPatch(&list)
        edit.webhookIDs = reader.value("webhook_ids") == .null ? [] : reader.webhookIDs(&list)
        edit.deadline = reader.instant("deadline_at", &list)
        edit.priority = reader.priority(&list)
        edit.notBefore = reader.notBeforeChange(&list)
        requestHeaders = reader.headerPatch(&list)
        authentication = reader.authenticationChange(&list)
        cookies = reader.cookiePatch(&list)
        post = reader.postPatch(&list)
        proxy = reader.proxyChange(&list)
        reader.limits(of: &edit, &list)
        edit.maxAttempts = reader.maxAttemptsChange(&list)
        edit.acceptsHTML = reader.bool("accept_html", &list)
        edit.timeouts = reader.timeoutChanges(&list)
        edit.retry = reader.retryChanges(&list)
        edit.retention = reader.retentionChanges(&list)
        edit.description = reader.change("description") { $0.plainDescription(&list) }
        labels = reader.objectPatch(.labels, &list)
        metadata = reader.objectPatch(.metadata, &list)
        try reader.close(&list)
    }
}
