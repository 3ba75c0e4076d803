import Core
import ServiceSupport
import Testing

@testable import API

private func fault(_ json: String) -> BodyError? {
    do throws(BodyError) {
        _ = try CreateBatchBody(parsing: Array(json.utf8))
        return nil
    } catch {
        return error
    }
}

private func items(_ count: Int) -> String {
    Array(repeating: #"{"url":"http://a"}"#, count: count).joined(separator: ",")
}

@Test func aBatchIsAtomicUnlessItSaysOtherwise() throws {
    for (member, isAtomic) in [("", true), (#""atomic":null,"#, true), (#""atomic":false,"#, false)] {
        let body = try CreateBatchBody(parsing: Array("{\(member)\"items\":[\(items(2))]}".utf8))

        #expect(body.isAtomic == isAtomic)
        #expect(body.items.count == 2)
    }
}

@Test(
    arguments: [
        ("[]", "", .wrongType), ("{}", "/items", .required), (#"{"items":null}"#, "/items", .required),
        (#"{"items":{}}"#, "/items", .wrongType), (#"{"items":[]}"#, "/items", .outOfRange),
        (#"{"atomic":1,"items":[{"url":"http://a"}]}"#, "/atomic", .wrongType),
        (#"{"item":1,"items":[{"url":"http://a"}]}"#, "/item", .unknownMember),
        ("{\"items\":[\(items(CreateBatchBody.maximumItems + 1))]}", "/items", .tooMany),
    ] as [(String, String, Violation.Code)]
)
func aBatchOfAnotherFormIsRefused(_ json: String, _ pointer: String, _ code: Violation.Code) throws {
    guard case .violations(let violations)? = fault(json) else {
        Issue.record("taken")
        return
    }

    #expect(violations.map(\.pointer.text) == [pointer])
    #expect(violations.map(\.code) == [code])
}

@Test func aBatchMayHaveAThousandItems() {
    #expect(fault("{\"items\":[\(items(CreateBatchBody.maximumItems))]}") == nil)
}

@Test func theDescribedBatchesAreRead() throws {
    let described = try Description.schema("BatchRequest")["properties"]?["items"]?["maxItems"]
    let media = try Description.at("paths", "/downloads/batch", "post", "requestBody", "content", "application/json")
    let examples = try #require(media["examples"])

    #expect(described?.integer == Int64(CreateBatchBody.maximumItems))
    for name in examples.names {
        #expect(fault(try #require(examples[name]?["value"]).canonical) == nil)
    }
}

@Test func violationsOfAnItemHaveThePointerOfTheItem() throws {
    let json = #"{"items":[{"url":"http://a"},{"url":7,"limits":{"x":1}},[]]}"#
    let body = try CreateBatchBody(parsing: Array(json.utf8))

    let pointers = body.items.map { item -> [String] in
        guard case .fault(.violations(let violations)) = item else { return [] }
        return violations.map(\.pointer.text)
    }
    #expect(pointers == [[], ["/items/1/url", "/items/1/limits/x"], ["/items/2"]])
}

@Test func aBatchIsWrittenAsDescribed() throws {
    let download = DownloadBody(download: try Samples.download(), fileAvailable: false)
    let violation = Violation(JSONPointer(text: "/items/1/url"), .malformed, "No URL.")
    let problem = ProblemBody(.violations([violation]))

    let batch = try JSONValue(parsing: BatchBody(items: [download]).encoded())
    let results = try JSONValue(
        parsing: BatchResultsBody(items: [.created(download), .refused(problem), .existing(download)]).encoded()
    )
    #expect(results["items"]?.items.map { $0["http_status"]?.integer } == [201, 400, 200])
    #expect(results["items"]?.items.map { $0["index"]?.integer } == [0, 1, 2])
    #expect(Contract.shared.violations(batch, schema: "Batch") == [])
    #expect(Contract.shared.violations(results, schema: "BatchResults") == [])
}

// MARK: - One problem for many items

private func problem(_ type: ProblemType, at pointers: [String], extras: [ProblemBody.Extra] = []) -> ProblemBody {
    let errors = pointers.map { ProblemError(.pointer(JSONPointer(text: $0)), code: .malformed, detail: "d") }
    return ProblemBody(type, detail: "d", errors: errors, extras: extras)
}

@Test func aProblemOfAPartPointsIntoTheWhole() {
    var other = problem(.invalidRequest, at: ["/url", ""])
    other.errors.append(ProblemError(.header("X"), code: .malformed, detail: "d"))

    let moved = other.moved(to: CreateBatchBody.pointer(toItem: 3))

    #expect(
        moved.errors.map(\.place) == [
            .pointer(JSONPointer(text: "/items/3/url")), .pointer(JSONPointer(text: "/items/3")), .header("X"),
        ]
    )
}

@Test func problemsOfOneTypeAreOneOfIt() {
    let port = problem(.destinationForbidden, at: ["/items/0/url"], extras: [.reason(.port)])
    let address = problem(.destinationForbidden, at: ["/items/4/url"], extras: [.reason(.address)])

    #expect(ProblemBody(ofBatch: [port]) == port)
    #expect(ProblemBody(ofBatch: [port, port]).extras == [.reason(.port)])
    let both = ProblemBody(ofBatch: [port, address])
    #expect(both.type == .destinationForbidden && both.status == 403 && both.extras.isEmpty)
    #expect(both.errors == port.errors + address.errors)
    #expect(both.detail == "2 of the items were refused.")
}

@Test func problemsOfSeveralTypesAreUnprocessable() {
    let both = ProblemBody(
        ofBatch: [
            problem(.invalidRequest, at: ["/items/0/url"]), problem(.destinationForbidden, at: ["/items/1/url"]),
        ]
    )

    #expect(both.type == .unprocessable && both.status == 422)
    #expect(both.errors.count == 2)
}

@Test func ofVeryManyMistakesTheFirstOfEachItemIsTold() {
    let pointers = (0..<50).map { "/a/\($0)" }
    let items = (0..<30).map { problem(.invalidRequest, at: pointers).moved(to: CreateBatchBody.pointer(toItem: $0)) }

    let all = ProblemBody(ofBatch: Array(items.prefix(20)))
    let firsts = ProblemBody(ofBatch: items)

    #expect(all.errors.count == 1000)
    #expect(firsts.errors.map(\.place) == (0..<30).map { .pointer(JSONPointer(text: "/items/\($0)/a/0")) })
}
