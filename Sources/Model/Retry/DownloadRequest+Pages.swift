extension DownloadRequest {
    /// Whether a web page would most likely stand for a link that has expired: another one may be had, and no name says
    /// that a page is what is wanted.
    public var expectsNoPage: Bool {
        guard refreshURL != nil else { return false }
        let names = [filename?.value, FileName.lastPathComponent(ofURL: url.text)].compactMap { $0?.lowercased() }
        return !names.contains { name in Self.pageEndings.contains { name.hasSuffix($0) } }
    }

    private static let pageEndings = [".html", ".htm", ".xhtml", ".xht"]
}
