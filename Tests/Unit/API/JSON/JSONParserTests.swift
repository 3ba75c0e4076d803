import Core
import ServiceSupport
import TestSupport
import Testing

@testable import API

@Test(arguments: [
    ("null", "null"), (" [ 1 , -0.5e+3 ] ", "[1,-0.5e+3]"),
    (#"{"b":1,"a":{"d":[],"c":{}}}"#, #"{"a":{"c":{},"d":[]},"b":1}"#),
    (#""\u00e9\ud83d\ude00\/\n""#, "\"é😀/\\n\""), ("123456789012345678901234567890", "123456789012345678901234567890"),
    ("\"\u{7f}\u{2028}\"", "\"\u{7f}\u{2028}\""), (#"{"e\u0301":1,"\u00e9":2}"#, "{\"e\u{301}\":1,\"\u{e9}\":2}"),
])
func aTextIsReadAndWrittenCanonically(_ text: String, _ canonical: String) throws {
    let value = try JSONValue(parsing: Array(text.utf8))

    #expect(value.canonical.utf8.elementsEqual(canonical.utf8))
}

@Test(
    arguments: [
        ("", .empty, 0), (" \n", .empty, 2), ("nul", .unexpectedEnd, 3), ("nulL", .unexpectedByte, 3),
        ("1 2", .trailingBytes, 2), ("[1,]", .unexpectedByte, 3), ("{\"a\":1,}", .unexpectedByte, 7),
        ("{a:1}", .unexpectedByte, 1), ("[1", .unexpectedEnd, 2), ("{\"a\"", .unexpectedEnd, 4),
        ("{\"a\":1,\"\\u0061\":2}", .duplicateName, 7), ("\"\u{0}\"", .nullCharacter, 1),
        (#""\u0000""#, .nullCharacter, 1),
        ("\"\t\"", .controlCharacter, 1), (#""\x""#, .badEscape, 1), (#""\u12g4""#, .badEscape, 1),
        ("\"a", .unexpectedEnd, 2),
        (#""\ud800""#, .loneSurrogate, 1), (#""\udc00""#, .loneSurrogate, 1), (#""\ud800\u0041""#, .loneSurrogate, 1),
        ("01", .badNumber, 0), ("1.", .unexpectedEnd, 0), ("1.x", .badNumber, 0), ("-", .unexpectedEnd, 0),
        ("+1", .unexpectedByte, 0), (".5", .unexpectedByte, 0), ("1e", .unexpectedEnd, 0),
        ("1e999", .numberTooLarge, 0),
        ("NaN", .unexpectedByte, 0), ("'a'", .unexpectedByte, 0), ("// x", .unexpectedByte, 0),
    ] as [(String, JSONParseError.Reason, Int)]
)
func ambiguousJSONIsRefusedWithItsPosition(_ text: String, _ reason: JSONParseError.Reason, _ offset: Int) {
    #expect(throws: JSONParseError(reason, at: offset)) { try JSONValue(parsing: Array(text.utf8)) }
}

@Test(
    arguments: [
        ([0xEF, 0xBB, 0xBF, 0x31], .byteOrderMark), ([0x22, 0xFF, 0x22], .notUTF8),
        ([0x22, 0xC0, 0x80, 0x22], .notUTF8),
        ([0x22, 0xED, 0xA0, 0x80, 0x22], .notUTF8), ([0xFE, 0xFF], .unexpectedByte),
    ] as [([UInt8], JSONParseError.Reason)]
)
func bytesThatAreNoStrictUTF8AreRefused(_ bytes: [UInt8], _ reason: JSONParseError.Reason) {
    let fault = #expect(throws: JSONParseError.self) { try JSONValue(parsing: bytes) }
    #expect(fault?.reason == reason)
}

@Test(arguments: [("[", "]"), ("{\"a\":", "}")])
func thirtyTwoLevelsAreReadAndNoMore(_ open: String, _ close: String) throws {
    func nested(_ depth: Int) -> [UInt8] {
        Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
    }

    #expect(throws: Never.self) { try JSONValue(parsing: nested(32)) }
    #expect(throws: JSONParseError(.tooDeep, at: 32 * open.utf8.count)) { try JSONValue(parsing: nested(33)) }
    #expect(throws: JSONParseError.self) { try JSONValue(parsing: nested(200_000)) }
}

@Test(arguments: 0..<8 as Range<UInt64>)
func aDamagedTextIsReadAgainFromItsCanonicalFormOrRefused(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let text = #"{"a":[1,-2.5e3,true,null,"x\u00e9\ud83d\ude00\n"],"b":{"c":{},"d":"é😀"},"e":""}"#
    let pieces = Array("\"\\{}[]:,0e.-tfn \u{1}u\u{80}".utf8)

    for _ in 0..<3000 {
        var bytes = Array(text.utf8)
        for _ in 0...Int.random(in: 0..<4, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.remove(at: place)
            case 1: bytes.insert(pieces[Int.random(in: 0..<pieces.count, using: &generator)], at: place)
            case 2: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            default: bytes.removeLast(bytes.count - place)
            }
        }
        do throws(JSONParseError) {
            let value = try JSONValue(parsing: bytes)
            #expect(try JSONValue(parsing: value.bytes).canonical == value.canonical)
        } catch {
            #expect((0...bytes.count).contains(error.offset))
        }
    }
}

@Test(
    arguments: [
        ("5", 5), ("5.0", 5), ("5e0", 5), ("-0", 0), ("5.5", nil), ("9007199254740991", 9_007_199_254_740_991),
        ("9007199254740992", nil), ("1e300", nil), ("-9223372036854775808", nil),
    ] as [(String, Int64?)]
)
func aWholeNumberIsOneHoweverItIsWritten(_ text: String, _ value: Int64?) {
    #expect(JSONValue.number(text).integer == value)
}

@Test func aPointerEscapesWhatItsSyntaxUses() {
    #expect(JSONPointer.root.appending("a/b").appending("m~n").text == "/a~1b/m~0n")
}
