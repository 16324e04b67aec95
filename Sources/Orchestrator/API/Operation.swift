/// What the API's document says of a route.
struct Operation: Sendable {
    struct Parameter: Sendable {
        var name: String
        var summary: String
        var isInteger = false
        var values: [String] = []
    }

    var id: String
    var summary: String
    var query: [Parameter] = []
    /// The names of the schemas of the document.
    var body: String?
    var result: String?
    var isList = false
    /// Where it is not JSON.
    var type = "application/json"
    var status = 200
    /// Besides 401, which all have.
    var failures: [Int] = []
}
