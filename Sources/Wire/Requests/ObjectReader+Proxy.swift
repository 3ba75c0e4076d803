import Model

/// The member `proxy`.
extension ObjectReader {
    mutating func proxy(_ list: inout ViolationList) -> ProxyChoice? {
        guard let text = string("proxy", &list) else { return nil }
        if let choice = ProxyChoice(text) { return choice }
        let detail = "Expected none, or http, https, socks5 or socks5h://[user[:password]@]host:port."
        list.add(pointer.appending("proxy"), .malformed, detail)
        return nil
    }

    mutating func proxyChange(_ list: inout ViolationList) -> DownloadEdit.Change<ProxyChoice>? {
        change("proxy") { $0.proxy(&list) }
    }
}
