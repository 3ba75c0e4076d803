import Foundation
import HTTPTypes
import Testing
import Yams

@testable import API

/// The routes against `openapi.yaml`: neither has a path or a method that the other has not.
struct RouteTests {
    private static let id = "dl_01kdyak3seeejr3cp3tkjzc1rr"
    private static let webhook = "whk_01kdyak3seeejr3cp3tkjzc1rr"
    private static let delivery = "dlv_01kdyak3seeejr3cp3tkjzc1rr"

    private static func documented() throws -> [String: [String: Any]] {
        // Tests/Unit/API/HTTP/RouteTests.swift → the package's root
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let text = try String(contentsOf: root.appendingPathComponent("openapi.yaml"), encoding: .utf8)
        let document = try #require(try Yams.load(yaml: text) as? [String: Any])
        return try #require(document["paths"] as? [String: [String: Any]])
    }

    /// A path of the template, with values in place of its parameters.
    private static func example(of template: String) -> String {
        let prefix = template.hasPrefix("/webhooks") ? "whk_" : template.hasPrefix("/operations") ? "op_" : "dl_"
        return
            template
            .replacingOccurrences(of: "{id}", with: id.replacingOccurrences(of: "dl_", with: prefix))
            .replacingOccurrences(of: "{delivery_id}", with: id.replacingOccurrences(of: "dl_", with: "dlv_"))
            .replacingOccurrences(of: "{name}", with: "nightly")
            .replacingOccurrences(of: "{authority}", with: "example.com:443")
            .replacingOccurrences(of: "{slug}", with: "not-found")
            .replacingOccurrences(of: "{version}", with: "1")
            .replacingOccurrences(of: "{file}", with: "main.js")
    }

    @Test func everyDocumentedPathLeadsToItsRoute() throws {
        let templates = try Self.documented().keys
        for template in templates {
            let match = try #require(RouteMatch(path: Self.example(of: template)), "\(template)")

            #expect(match.route.template == template)
        }
        #expect(Set(Route.table.map(\.template)) == Set(templates))
        #expect(Route.table.count == templates.count)
    }

    @Test func everyRouteHasTheDocumentedOperationsAndNoOther() throws {
        let methods = ["get", "post", "put", "patch", "delete"]
        for route in Route.table {
            let documented = try #require(try Self.documented()[route.template])
            // HEAD goes wherever GET does (RFC 9110, section 9.3.2), and OPTIONS everywhere.
            let ids = documented.compactMap { method, operation in
                methods.contains(method)
                    ? "\(method.uppercased()) \((operation as? [String: Any])?["operationId"] as? String ?? "")" : nil
            }

            #expect(Set(route.operations.map { "\($0.method.rawValue) \($0.id)" }) == Set(ids))
            #expect(route.methods.contains(.head) == route.methods.contains(.get))
            #expect(route.methods.contains(.options))
        }
    }

    @Test func theParametersOfEachOperationAreDescribed() throws {
        for route in Route.table {
            let documented = try #require(try Self.documented()[route.template])
            for operation in route.operations {
                let description = documented[operation.method.rawValue.lowercased()] as? [String: Any]
                let body = description?["requestBody"] as? [String: Any]
                let types = (body?["content"] as? [String: Any])?.keys.map(\.self) ?? []

                #expect(Set(operation.bodyTypes) == Set(types), "\(operation.id)")
            }
        }
    }

    /// A POST accepts the key as documented, or refuses it. None ignores it.
    @Test func whetherAPostTakesAnIdempotencyKeyIsDocumented() throws {
        let reference = "#/components/parameters/IdempotencyKey"
        for route in Route.table {
            let documented = try #require(try Self.documented()[route.template])
            for operation in route.operations where operation.method == .post {
                let description = documented["post"] as? [String: Any]
                let parameters = description?["parameters"] as? [[String: Any]] ?? []
                let takesKey = parameters.contains { $0["$ref"] as? String == reference }

                #expect(operation.takesKey == takesKey, "\(operation.id)")
            }
        }
    }

    @Test func onlyAnOperationThatReadsHasAScopeToRead() {
        for operation in Route.table.flatMap(\.operations) where operation.method != .get {
            #expect(operation.scope != .read || operation.id == "createTicket", "\(operation.id)")
        }
    }

    @Test(arguments: [
        "/page", "/page/1/none.js", "/download", "/downloads/", "/downloads/x", "/downloads/\(id)/files", "/sessions/",
        "/hosts/",
        "/problems/none", "/webhooks/x", "/webhooks/\(webhook)/", "/webhooks/\(webhook)/pings",
        "/webhooks/\(webhook)/deliveries/x", "/webhooks/\(webhook)/deliveries/\(delivery)/again", "/webhooks/\(id)",
    ])
    func anyOtherPathLeadsNowhere(_ path: String) {
        #expect(RouteMatch(path: path) == nil)
    }

    @Test func aSessionsColonMayComeEncoded() {
        #expect(RouteMatch(path: "/sessions/com%3Aexample")?.parameters == ["com:example"])
        #expect(RouteMatch(path: "/sessions/com:example")?.parameters == ["com:example"])
    }

    @Test func anAuthoritysColonAndBracketsMayComeEncoded() {
        let match = RouteMatch(path: "/hosts/%5B::1%5D%3A443")

        #expect(match?.route.template == "/hosts/{authority}")
        #expect(match?.parameters == ["[::1]:443"])
    }

    @Test func onlyHealthDocumentsAndThePageAreOpenToAll() {
        let open = [
            "/livez", "/readyz", "/openapi.yaml", "/openapi.json", "/problems/not-found", "/", "/page/1/main.js",
        ]
        .compactMap {
            RouteMatch(path: $0)?.route
        }
        let closed = [
            "/downloads", "/downloads/\(Self.id)", "/downloads/\(Self.id)/file",
            "/downloads/\(Self.id)/attempts", "/downloads/\(Self.id)/segments", "/downloads/\(Self.id)/events",
            "/events", "/tickets", "/sessions", "/sessions/a",
            "/hosts",
            "/hosts/a:80", "/webhooks", "/webhooks/\(Self.webhook)", "/webhooks/\(Self.webhook)/ping",
            "/webhooks/\(Self.webhook)/deliveries", "/webhooks/\(Self.webhook)/deliveries/\(Self.delivery)",
            "/webhooks/\(Self.webhook)/deliveries/\(Self.delivery)/redeliver",
        ]
        .compactMap { RouteMatch(path: $0)?.route }

        #expect(open.count == 7 && open.allSatisfy(\.isOpen))
        #expect(closed.count == 18 && !closed.contains(where: \.isOpen))
    }
}
