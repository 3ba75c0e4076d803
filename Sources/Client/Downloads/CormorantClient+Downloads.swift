/// Downloads.
extension CormorantClient {
    /// Creates a download. It is recorded when this returns.
    ///
    /// - Parameter key: An idempotency key: a repeated call with it and the same download creates no second one.
    public func createDownload(_ new: Download.Request, key: String? = nil) async throws(ClientError) -> Download {
        try await send("POST", "/downloads", new, key: key)
    }

    /// Creates up to 1,000 downloads.
    ///
    /// - Parameters:
    ///   - isAtomic: Whether one that is refused prevents the others.
    ///   - isSealed: Whether their session accepts no further downloads afterwards.
    ///   - key: An idempotency key, as in ``createDownload(_:key:)``.
    /// - Returns: A result for each, in their order.
    public func createDownloads(
        _ items: [Download.Request],
        isAtomic: Bool = false,
        isSealed: Bool? = nil,
        key: String? = nil
    ) async throws(ClientError) -> [BatchResult] {
        struct Batch: Encodable {
            let atomic: Bool
            let sealed: Bool?
            let items: [Download.Request]
        }
        struct Results: Decodable { let items: [BatchResult] }
        var request = APIRequest("POST", "/downloads/batch")
        request.body = try ClientJSON.encode(Batch(atomic: isAtomic, sealed: isSealed, items: items))
        if let key { request.fields = [APIRequest.Pair("Idempotency-Key", key)] }
        // A thousand take a while on a busy machine.
        request.serverWait = .seconds(120)
        let results: Results = try ClientJSON.decode(try await send(request).body)
        return results.items
    }

    /// Requests one download.
    public func download(_ id: String, detail: DownloadDetail = .full) async throws(ClientError) -> Download {
        try await get(APIRequest.path("downloads", id), query: detail.pairs)
    }

    /// Waits until the download has ended, for at most `longestWait` (60 seconds), and returns it as it is then.
    public func download(
        _ id: String,
        endingWithin longestWait: Duration
    ) async throws(ClientError) -> Download {
        var request = APIRequest("GET", APIRequest.path("downloads", id), query: [APIRequest.Pair("until", "terminal")])
        request.fields = [APIRequest.Pair("Prefer", "wait=\(longestWait.components.seconds)")]
        request.serverWait = longestWait
        return try ClientJSON.decode(try await send(request).body)
    }

    /// Requests a page of a list.
    public func downloadPage(_ query: DownloadQuery) async throws(ClientError) -> Page<Download> {
        try await get("/downloads", query: query.pairs)
    }

    /// All downloads of a list, page by page.
    public func downloads(_ query: DownloadQuery = DownloadQuery()) -> Pages<Download> {
        Pages(client: self, path: "/downloads", query: query.pairs)
    }

    /// Changes a download, or acts on it.
    public func changeDownload(_ id: String, _ patch: Download.Patch) async throws(ClientError) -> Download {
        try await send("PATCH", APIRequest.path("downloads", id), patch)
    }

    /// Deletes the record of a download and its file.
    ///
    /// - Parameters:
    ///   - force: Whether a download that has not ended is cancelled first.
    ///   - keepsFile: Whether the finished file stays.
    public func deleteDownload(_ id: String, force: Bool = false, keepsFile: Bool = false) async throws(ClientError) {
        var request = APIRequest("DELETE", APIRequest.path("downloads", id))
        request.addQuery("force", force ? "true" : nil)
        request.addQuery("delete_file", keepsFile ? "false" : nil)
        _ = try await send(request)
    }

    /// The requests that were made for a download, the first one first.
    public func attempts(of id: String) -> Pages<Attempt> {
        Pages(client: self, path: APIRequest.path("downloads", id, "attempts"), query: [])
    }

    /// The ranges of the file: received, being fetched, and missing. At most 64, in ascending order.
    public func segments(of id: String) async throws(ClientError) -> [Segment] {
        struct Segments: Decodable { let items: [Segment] }
        let segments: Segments = try await get(APIRequest.path("downloads", id, "segments"))
        return segments.items
    }

    /// Probes a URL; nothing is stored.
    public func probe(_ new: Download.Request) async throws(ClientError) -> ProbeReport {
        try await send("POST", "/probes", new)
    }

    /// The finished file of a download.
    ///
    /// - Parameter first: The first byte that is requested.
    public func file(of id: String, from first: Int64 = 0) async throws(ClientError) -> ByteStream {
        var request = APIRequest("GET", APIRequest.path("downloads", id, "file"))
        request.answer = .file(of: id)
        if first > 0 { request.fields = [APIRequest.Pair("Range", "bytes=\(first)-")] }
        return ByteStream(exchange: try await open(request), client: self)
    }
}

/// Responses that are also returned unparsed, for programs that forward them with all members.
extension CormorantClient {
    public func rawDownloadPage(_ query: DownloadQuery) async throws(ClientError) -> (Page<Download>, [UInt8]) {
        try await raw("/downloads", query: query.pairs)
    }

    public func rawDownload(_ id: String) async throws(ClientError) -> (Download, [UInt8]) {
        try await raw(APIRequest.path("downloads", id))
    }

    public func rawChangeDownload(
        _ id: String,
        _ patch: Download.Patch
    ) async throws(ClientError) -> (Download, [UInt8]) {
        try await raw("PATCH", APIRequest.path("downloads", id), patch)
    }

    /// Requests a resource.
    ///
    /// - Returns: Its members that this version knows, and its JSON.
    public func raw<Result: Decodable>(
        _ path: String,
        query: [APIRequest.Pair] = []
    ) async throws(ClientError) -> (Result, [UInt8]) {
        let body = try await send(APIRequest("GET", path, query: query)).body
        return (try ClientJSON.decode(body), body)
    }

    func raw<Result: Decodable>(
        _ method: String,
        _ path: String,
        _ body: some Encodable
    ) async throws(ClientError) -> (Result, [UInt8]) {
        var request = APIRequest(method, path)
        request.body = try ClientJSON.encode(body)
        let response = try await send(request).body
        return (try ClientJSON.decode(response), response)
    }
}
