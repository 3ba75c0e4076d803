/// The allowed ports. They prevent HTTP requests to services of other protocols.
public struct PortRules: Hashable, Sendable {
    /// Ports that are allowed in addition to those of the scheme.
    public var allowed: Set<UInt16>
    /// The refused ports from 1024 on. Below 1024, only the ports of the scheme are allowed.
    public var refused: Set<UInt16>

    public init(allowed: Set<UInt16> = [], refused: Set<UInt16> = PortRules.wellKnownServices) {
        self.allowed = allowed
        self.refused = refused
    }

    func allows(_ port: UInt16, scheme: URLScheme) -> Bool {
        if port == 0 { return false }
        if allowed.contains(port) { return true }
        return port < 1024 ? scheme.wellKnownPorts.contains(port) : !refused.contains(port)
    }

    /// The ports that browsers block (Fetch standard, "port blocking"), and the ports of databases, caches, message
    /// brokers and remote administration.
    public static let wellKnownServices: Set<UInt16> = browserBlocked.union(databases).union(control)

    private static let browserBlocked: Set<UInt16> = [
        1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
        10_080,
    ]

    /// SQL Server, Oracle, MQTT, MySQL, NATS, PostgreSQL, AMQP, CouchDB, Redis, Cassandra, Neo4j, InfluxDB, Kafka,
    /// Elasticsearch, memcached, RabbitMQ, MongoDB, DB2, ActiveMQ.
    private static let databases: Set<UInt16> = [
        1433, 1434, 1521, 1883, 3306, 4222, 5432, 5671, 5672, 5984, 6222, 6379, 6380, 7000, 7001, 7199, 7687, 8086,
        8222, 8883, 9042, 9092, 9160, 9200, 9300, 11_211, 15_672, 26_379, 27_017, 27_018, 27_019, 28_017, 50_000,
        61_613, 61_616,
    ]

    /// Java RMI, ZooKeeper, Docker, etcd, iSCSI, remote desktop, Erlang, VNC, WinRM, Kubernetes, Consul, kubelet.
    private static let control: Set<UInt16> = [
        1099, 2181, 2375, 2376, 2379, 2380, 3260, 3389, 4369, 5900, 5901, 5902, 5903, 5985, 5986, 6443, 8500, 10_250,
        10_255,
    ]
}
