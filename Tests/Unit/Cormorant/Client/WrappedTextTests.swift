import Client
import FoundationEssentials
import Testing

@testable import cormorant

@Suite
struct WrappedTextTests {
    @Test func aLineEndsBetweenWords() {
        #expect("one two three".wrapped(to: nil) == ["one two three"])
        #expect("one two three".wrapped(to: 8) == ["one two", "three"])
        #expect("one two three".wrapped(to: 8, indent: 2) == ["one two", "  three"])
        #expect("one https://a.example/long two".wrapped(to: 8) == ["one", "https://a.example/long", "two"])
    }

    @Test func aCutTextEndsAfterAWord() {
        #expect("the origin answers slowly".cut(to: 18) == "the origin…")
        #expect("a-long-name-of-a-file.iso".cut(to: 10) == "a-long-na…")
        #expect("a b".cut(to: 3) == "a b")
    }

    @Test func aUsageIsBrokenBetweenOptions() {
        let text = "Text.\nUSAGE: cormorant show <id> ... [--server <url>] [--ca-file <file>]\n"
        let wrapped = UsageText.wrapped(text, to: 40)

        #expect(
            wrapped == """
                Text.
                USAGE: cormorant show <id> ...
                       [--server <url>]
                       [--ca-file <file>]

                """
        )
    }

    @Test func aLongValueStandsBesideItsName() throws {
        let field = try #require(Field("why", "the host allows no more requests now"))

        #expect(
            Field.lines([field], width: 25, isColoured: false) == [
                "why  the host allows no", "     more requests now",
            ]
        )
    }
}

/// Tables of the service at 80 columns, with ids and names as long as they come.
@Suite
struct NarrowTableTests {
    private static func decoded<Value: Decodable>(_ json: String) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Value.self, from: Data(json.utf8))
    }

    @Test func tablesFitEightyColumns() throws {
        let id = "01kdyak3seeejr3cp3tkjzc1rr"
        let webhook: Webhook = try Self.decoded(
            """
            {"id":"whk_\(id)","url":"https://receiver.example/REDACTED","enabled":false,\
            "stats":{"succeeded":1234567,"failed":12345},"description":"Tells the media library of new files"}
            """
        )
        let session: Session = try Self.decoded(
            """
            {"name":"nightly-builds-of-the-week","open_count":123,"counts":{"completed":12345,"failed":123},\
            "received_bytes":123456789012,"total_bytes":123456789012,"description":"All builds of the last week"}
            """
        )
        let delivery: Delivery = try Self.decoded(
            """
            {"id":"dlv_\(id)","seq":1,"event_type":"download.completed","state":"succeeded","counters":{"attempt":12}}
            """
        )
        let tables = [
            WebhookFields.table([webhook]), SessionFields.table([session]),
            WebhookDeliveriesCommand.table([delivery], [:]),
        ]

        for line in tables.flatMap({ $0.lines(width: 80, isColoured: false) }) {
            #expect(line.columns <= 80, "\(line)")
        }
    }
}
