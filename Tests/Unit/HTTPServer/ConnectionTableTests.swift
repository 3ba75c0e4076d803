import Glibc
import Synchronization
import Testing

@testable import HTTPServer

@Suite struct ConnectionTableTests {
    private let table = ConnectionTable(limits: ConnectionLimits(configured { $0.maxConnections = 4 }))

    private func insert(_ change: (Connection) -> Void = { _ in }) -> Connection {
        let connection = Connection(
            descriptor: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0),
            remoteAddress: "127.0.0.1",
            group: AddressGroup(nil),
            deadline: .max,
            order: table.nextOrder()
        )
        table.insert(connection)
        change(connection)
        return connection
    }

    private func close(_ connections: [Connection]) {
        for connection in connections { Glibc.close(connection.descriptor) }
    }

    /// A probe comes while all places and all spares are busy.
    @Test(arguments: [false, true])
    func aSpareThatIsBeingRefusedIsClosedForANewConnection(someAreRefused: Bool) {
        let busy = (0..<4).map { _ in insert { _ = $0.beginRequest() } }
        let spares = (0..<ConnectionLimits.spare).map { number in
            insert { spare in
                _ = spare.beginRequest()
                if someAreRefused && number == 7 { spare.isRefused.store(true, ordering: .relaxed) }
            }
        }
        let newest = insert()
        defer { close(busy + spares + [newest]) }

        #expect(busy.count(where: \.isBusy) == 4)
        #expect(newest.isWaiting == someAreRefused)
        #expect(spares.count(where: \.isBusy) == ConnectionLimits.spare - (someAreRefused ? 1 : 0))
    }
}
