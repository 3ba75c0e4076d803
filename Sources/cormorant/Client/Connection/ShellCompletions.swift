import ArgumentParser
import Client

/// The completions of an argument, requested from the service of the command line within two seconds.
enum ShellCompletions {
    /// The most words that are proposed.
    private static let most = 100

    /// Names of downloads, the newest first; ids once `dl_` is typed.
    @Sendable static func downloads(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        guard let client = client(words) else { return [] }
        var query = DownloadQuery()
        query.limit = most
        query.detail = .fields(["name"])
        let name = ArgumentName(argument: prefix).name
        if !name.isEmpty && !prefix.hasPrefix("dl_") { query.filter.q = name }
        let items = (try? await client.downloadPage(query).items) ?? []
        let names = items.compactMap { $0.name.map { ArgumentName(name: $0).argument } }
        return fitting(prefix.hasPrefix("dl_") ? items.map(\.id) : names, prefix)
    }

    @Sendable static func sessions(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        await names(of: { $0.sessions() }, words, prefix, \.name)
    }

    @Sendable static func hosts(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        await names(of: { $0.hosts() }, words, prefix, \.authority)
    }

    @Sendable static func webhooks(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        await names(of: { $0.webhooks() }, words, prefix, \.id)
    }

    private static func names<Item: Answer>(
        of list: (CormorantClient) -> Pages<Item>,
        _ words: [String],
        _ prefix: String,
        _ name: KeyPath<Item, String>
    ) async -> [String] {
        guard let client = client(words) else { return [] }
        var found: [String] = []
        do {
            for try await item in list(client) where found.count < most { found.append(item[keyPath: name]) }
        } catch {
            return []
        }
        return fitting(found, prefix)
    }

    /// Words that a shell would split or expand are left out: they would have to be quoted. So are those that would be
    /// options.
    static func fitting(_ words: [String], _ prefix: String) -> [String] {
        var seen: Set<String> = []
        return words.filter { word in
            word.hasPrefix(prefix) && !word.hasPrefix("-")
                && word.allSatisfy { $0.isLetter || $0.isNumber || "._-+:@%,/".contains($0) }
                && seen.insert(word).inserted
        }
    }

    /// The client for the options that are already on the command line.
    private static func client(_ words: [String]) -> CormorantClient? {
        var options = ServerOptions.Values()
        options.server = value(of: "--server", words)
        options.tokenFile = value(of: "--token-file", words)
        options.caFile = value(of: "--ca-file", words)
        options.timeout = .seconds(2)
        return try? options.client()
    }

    static func value(of name: String, _ words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word.hasPrefix(name + "=") { return String(word.dropFirst(name.count + 1)) }
            if word == name, words.indices.contains(index + 1) { return words[index + 1] }
        }
        return nil
    }
}
