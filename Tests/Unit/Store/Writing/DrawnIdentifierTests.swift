import Core
import Store
import StoreSupport
import Testing

@Suite struct DrawnIdentifierTests {
    @Test func idsDrawnAtOnceByManyTasksAreAllDifferent() async {
        let now = Fixture.now

        let ids = await withTaskGroup(of: [EventID].self) { group in
            for _ in 0..<8 { group.addTask { (0..<2000).map { _ in EventID(drawnAt: now) } } }
            return await group.reduce(into: Set()) { $0.formUnion($1) }
        }

        #expect(ids.count == 16_000)
        #expect(ids.allSatisfy { EventID($0.text) == $0 })
    }

    @Test func idsOfABatchAreInItsOrder() {
        let ids = (0..<4096).map { DownloadID(drawnAt: Fixture.now, number: $0).text }

        #expect(ids == ids.sorted())
        #expect(Set(ids).count == ids.count)
    }
}
