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
        template
            .replacingOccurrences(
                of: "{id}",
                with: template.hasPrefix("/webhooks") ? id.replacingOccurrences(of: "dl_", with: "whk_") : id
            )
            .replacingOccurrences(of: "{delivery_id}", with: id.replacingOccurrences(of: "dl_", with: "dlv_"))
            .replacingOccurrences(of: "{name}", with: "nightly")
            .replacingOccurrences(of: "{authority}", with: "example.com:443")
            .replacingOccurrences(of: "{slug}", with: "not-found")
    }

    @Test func everyDocumentedPathLeadsToItsRoute() throws {
        for template in try Self.documented().keys {
            let route = try #require(Route(path: Self.example(of: template)), "\(template)")

            #expect(route.template == template)
        }
    }

    @Test func everyRouteHasTheDocumentedMethodsAndNoOther() throws {
        let methods = ["get", "head", "post", "put", "patch", "delete"]
        for (template, operations) in try Self.documented() {
            let route = try #require(Route(path: Self.example(of: template)))
            let documented = Set(operations.keys.filter(methods.contains).map { $0.uppercased() })

            // HEAD goes wherever GET does (RFC 9110, section 9.3.2), and OPTIONS everywhere.
            let extra = Set(["HEAD", "OPTIONS"])
            #expect(Set(route.methods.map(\.rawValue)).subtracting(extra) == documented.subtracting(extra))
        }
    }

    @Test(arguments: [
        "/", "/download", "/downloads/", "/downloads/x", "/downloads/\(id)/files", "/sessions/", "/hosts/",
        "/problems/none", "/webhooks/x", "/webhooks/\(webhook)/", "/webhooks/\(webhook)/pings",
        "/webhooks/\(webhook)/deliveries/x", "/webhooks/\(webhook)/deliveries/\(delivery)/again", "/webhooks/\(id)",
    ])
    func anyOtherPathLeadsNowhere(_ path: String) {
        #expect(Route(path: path) == nil)
    }

    @Test func aSessionsColonMayComeEncoded() {
        #expect(Route(path: "/sessions/com%3Aexample") == Route(path: "/sessions/com:example"))
    }

    @Test func anAuthoritysColonAndBracketsMayComeEncoded() {
        #expect(Route(path: "/hosts/%5B::1%5D%3A443") == .host("[::1]:443"))
    }

    @Test func onlyHealthAndDocumentsAreOpenToAll() {
        let open = ["/livez", "/readyz", "/openapi.yaml", "/problems/not-found"].compactMap(Route.init(path:))
        let closed = [
            "/downloads", "/downloads/\(Self.id)", "/downloads/\(Self.id)/file",
            "/downloads/\(Self.id)/attempts", "/downloads/\(Self.id)/events", "/events", "/tickets", "/sessions",
            "/sessions/a",
            "/hosts",
            "/hosts/a:80", "/webhooks", "/webhooks/\(Self.webhook)", "/webhooks/\(Self.webhook)/ping",
            "/webhooks/\(Self.webhook)/deliveries", "/webhooks/\(Self.webhook)/deliveries/\(Self.delivery)",
            "/webhooks/\(Self.webhook)/deliveries/\(Self.delivery)/redeliver",
        ]
        .compactMap(Route.init(path:))

        #expect(open.count == 4 && open.allSatisfy(\.isOpen))
        #expect(closed.count == 17 && !closed.contains(where: \.isOpen))
    }
}
