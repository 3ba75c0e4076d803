import Core
import HTTPFields
import Service
import TransferRules

/// Members with types of the domain.
extension ObjectReader {
    /// The URL of a download.
    mutating func givenURL(_ name: String, _ list: inout ViolationList) -> GivenURL? {
        guard let text = string(name, &list) else { return nil }
        return parse(text, at: pointer.appending(name), &list, GivenURL.init(parsing:at:))
    }

    /// The URL of a mirror, of a `refresh_url`, or of a receiver of events.
    mutating func url(_ name: String, of kind: PlainURL, _ list: inout ViolationList) -> DownloadURL? {
        guard let text = string(name, &list) else { return nil }
        return parse(text, at: pointer.appending(name), &list, kind.parse)
    }

    /// Additional URLs of the file.
    mutating func mirrors(_ list: inout ViolationList) -> [DownloadURL]? {
        guard let items = array("mirrors", atMost: DownloadRequest.maximumMirrors, "mirrors", &list) else { return nil }
        return items.compactMap { item, pointer in
            guard case .string(let text) = item else {
                list.addWrongType(pointer, expected: "a string", found: item)
                return nil
            }
            return parse(text, at: pointer, &list, PlainURL.mirror.parse)
        }
    }

    private func parse<URL>(
        _ text: String,
        at pointer: JSONPointer,
        _ list: inout ViolationList,
        _ parse: (String, JSONPointer) throws(Violation) -> URL
    ) -> URL? {
        do throws(Violation) {
            return try parse(text, pointer)
        } catch {
            list.add(error.pointer, error.code, error.detail)
            return nil
        }
    }

    mutating func filename(_ list: inout ViolationList) -> FileName? {
        guard let text = string("filename", &list) else { return nil }
        do throws(InvalidName) {
            return try FileName(validating: text)
        } catch {
            addInvalidName("filename", error, &list)
            return nil
        }
    }

    mutating func root(_ list: inout ViolationList) -> RootName? {
        guard let text = string("root", &list) else { return nil }
        if let root = RootName(text) { return root }
        list.add(pointer.appending("root"), .malformed, "Expected the name of a root: \(RootName.expectation).")
        return nil
    }

    mutating func directory(_ list: inout ViolationList) -> DirectoryTemplate? {
        guard let text = string("directory", &list) else { return nil }
        do throws(InvalidTemplate) {
            return try DirectoryTemplate(parsing: text)
        } catch {
            list.add(pointer.appending("directory"), error.code, error.explanation)
            return nil
        }
    }

    private func addInvalidName(_ name: String, _ fault: InvalidName, _ list: inout ViolationList) {
        let code: Violation.Code = fault == .tooLong ? .tooLong : .malformed
        list.add(pointer.appending(name), code, fault.explanation)
    }

    mutating func session(_ list: inout ViolationList) -> SessionName? {
        guard let text = string("session", &list) else { return nil }
        if let name = SessionName(text) { return name }
        let rule = "1 to 128 letters, digits, '.', '_', ':' and '-', the first a letter or digit"
        list.add(pointer.appending("session"), .malformed, "Expected \(rule).")
        return nil
    }

    mutating func instant(_ name: String, _ list: inout ViolationList) -> Timestamp? {
        guard let text = string(name, &list) else { return nil }
        if let time = Instant.parse(text) { return time }
        list.add(pointer.appending(name), .malformed, "Expected an instant such as 2026-01-09T03:04:05.000Z.")
        return nil
    }

    mutating func dedupeKey(_ list: inout ViolationList) -> String? {
        guard let text = string("dedupe_key", &list) else { return nil }
        if (1...255).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) { return text }
        list.add(pointer.appending("dedupe_key"), .malformed, "Expected 1 to 255 visible ASCII characters.")
        return nil
    }

    mutating func expected(_ list: inout ViolationList) -> Expected {
        guard var reader = object("expected", &list) else { return Expected() }
        let size = reader.integer("size_bytes", in: 0...JSONValue.maximumInteger, &list)
        var digests: [Digest] = []
        if var hexes = reader.object("digests", &list) {
            for algorithm in DigestAlgorithm.allCases {
                if let digest = hexes.digest(algorithm, &list) { digests.append(digest) }
            }
            hexes.finish(&list)
        }
        let mediaType = reader.mediaType(&list)
        reader.finish(&list)
        return Expected(sizeBytes: size, digests: digests, mediaType: mediaType)
    }

    private mutating func mediaType(_ list: inout ViolationList) -> MediaType? {
        guard let text = string("content_type", &list) else { return nil }
        if text.utf8.count <= 255, let type = MediaType(text) { return type }
        list.add(pointer.appending("content_type"), .malformed, "Expected a media type such as application/zip.")
        return nil
    }

    /// An absent member keeps its value, null clears it.
    mutating func expectedPatch(_ list: inout ViolationList) -> ExpectedPatch? {
        if value("expected") == .null { return .clear }
        guard var reader = object("expected", &list) else { return nil }
        var patch = ExpectedPatch()
        patch.sizeBytes = reader.change("size_bytes") {
            $0.integer("size_bytes", in: 0...JSONValue.maximumInteger, &list)
        }
        if reader.value("digests") == .null {
            patch.removesOtherDigests = true
        } else if var hexes = reader.object("digests", &list) {
            for algorithm in DigestAlgorithm.allCases {
                patch.digests[algorithm] = hexes.change(algorithm.rawValue) { $0.digest(algorithm, &list) }
            }
            hexes.finish(&list)
        }
        patch.mediaType = reader.change("content_type") { $0.mediaType(&list) }
        reader.finish(&list)
        return patch
    }

    private mutating func digest(_ algorithm: DigestAlgorithm, _ list: inout ViolationList) -> Digest? {
        guard let hex = string(algorithm.rawValue, &list) else { return nil }
        if let digest = Digest(algorithm: algorithm, hex: hex) { return digest }
        let detail = "Expected \(algorithm.byteCount * 2) hexadecimal digits."
        list.add(pointer.appending(algorithm.rawValue), .malformed, detail)
        return nil
    }
}

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
