import FoundationEssentials
import TestSupport
import Testing

/// Any text may stand in a field: no reader traps, and what one makes of it is what its grammar allows.
///
/// `CORMORANT_FUZZ_RUNS` sets how many texts, `CORMORANT_TEST_SEED` the first seed.
@Suite struct FieldFuzzTests {
    private static let shards = 4

    @Test(arguments: 0..<shards)
    func noTextIsReadAsWhatItsGrammarForbids(shard: Int) {
        let environment = ProcessInfo.processInfo.environment
        let runs = environment["CORMORANT_FUZZ_RUNS"].flatMap { Int($0) } ?? 20_000
        let seed = environment["CORMORANT_TEST_SEED"].flatMap { UInt64($0) } ?? 1
        if shard == 0 { print("field test: \(runs) texts from seed \(seed)") }
        var generator = SplitMix64(seed: seed &+ UInt64(shard) &* 0x9E37)

        for _ in 0..<runs / Self.shards {
            let text = FieldText.random(&generator)
            let fault = FieldProperties.fault(text)

            #expect(fault == nil, "\(fault ?? "") \(Array(text.utf8))")
            if fault != nil { return }
        }
    }
}

/// Texts for readers of fields: some right, many nearly so, some anything.
enum FieldText {
    private static let valid = [
        "bytes 0-499/1234", "bytes */9223372036854775807", "bytes=0-499", "bytes=-500", "\"tag\"", "W/\"tag\"",
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "120",
        "attachment; filename=\"a b.bin\"", "attachment; filename*=UTF-8''%e2%82%ac.bin", "text/html; charset=utf-8",
        "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:", "md5=1B2M2Y8AsgTpgAmY7PhCfg==",
        "<http://b.example/x>; rel=duplicate; pri=1", "id=1; Path=/; Max-Age=9; Secure",
    ]

    private static let pieces = [
        "bytes", " ", "=", "-", "/", "*", "0", "9", "9223372036854775807", "18446744073709551616", "W/", "\"", "\\",
        ",", ";", ":", "filename", "UTF-8''", "%", "%00", "%2F", "..", "<", ">", "GMT", "Feb", "31", "99", "\u{0}",
        "\u{1}", "\r\n", "\u{7F}", "\u{85}", "\u{FF}", "\u{FFFD}", "\u{202E}", "\u{1F600}", "rel", "pri", "Max-Age",
    ]

    static func random(_ generator: inout SplitMix64) -> String {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: anything(&generator)
        case 1: (0..<Int.random(in: 0...12, using: &generator)).map { _ in generator.pick(pieces) }.joined()
        default: nearlyRight(&generator)
        }
    }

    /// Bytes as a head is read: as UTF-8, or else as Latin-1.
    private static func anything(_ generator: inout SplitMix64) -> String {
        let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
        }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func nearlyRight(_ generator: inout SplitMix64) -> String {
        var scalars = Array(generator.pick(valid).unicodeScalars)
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let place = Int.random(in: 0...scalars.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: scalars.insert(contentsOf: generator.pick(pieces).unicodeScalars, at: place)
            case 1 where place < scalars.count: scalars.remove(at: place)
            case 2 where place < scalars.count:
                scalars[place] = Unicode.Scalar(UInt8.random(in: 0...255, using: &generator))
            default: break
            }
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
