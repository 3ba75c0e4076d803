import Client
import Testing

@testable import cormorant

@Suite
struct SegmentBarTests {
    @Test func aBarOfSixPercentIsNotFull() {
        let segment = Segment(firstByte: 0, lastByte: 999, receivedBytes: 60, state: "running")

        #expect(SegmentBar.text([segment], cells: 20) == "[#>------------------]")
    }

    @Test func eachConnectionIsMarkedWhereItReceives() {
        let segments = [
            Segment(firstByte: 0, lastByte: 499, receivedBytes: 250, state: "running"),
            Segment(firstByte: 500, lastByte: 749, receivedBytes: 0, state: "waiting"),
            Segment(firstByte: 750, lastByte: 999, receivedBytes: 250, state: "received"),
        ]

        #expect(SegmentBar.text(segments, cells: 8) == "[##>---##]")
    }
}
