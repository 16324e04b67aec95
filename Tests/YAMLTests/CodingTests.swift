import OrderedCollections
import Testing
import YAML

@Suite struct CodingTests {
    enum Policy: String, Codable { case always = "Always", off }

    struct Port: Codable, Equatable {
        var name: String?
        var containerPort: Int
        var `protocol`: String?
    }

    struct Container: Codable, Equatable {
        var name: String
        var image: String
        var command: [String]?
        var ports: [Port]
        var labels: [String: String]
        var annotations: OrderedDictionary<String, String>
        var policy: Policy
        var ratio: Double
        var isPrivileged: Bool
        var empty: [String]
        var raw: Node?
    }

    static let container = Container(
        name: "web", image: "nginx:1", command: ["sh", "-c", "yes"],
        ports: [Port(containerPort: 80), Port(name: "8080", containerPort: -1)],
        labels: ["z": "1", "a": "true", "m": "x"], annotations: ["z": "a", "b": "c"], policy: .off, ratio: 0.5,
        isPrivileged: true,
        empty: [], raw: Node(.sequence([.plain("0o17")]), tag: "!override"))

    @Test func `a struct becomes a mapping in the order of its declaration`() throws {
        #expect(
            try NodeEncoder().encode(Self.container).yaml() == """
                name: web
                image: nginx:1
                command:
                  - sh
                  - -c
                  - "yes"
                ports:
                  - containerPort: 80
                  - name: "8080"
                    containerPort: -1
                labels:
                  a: "true"
                  m: x
                  z: "1"
                annotations:
                  z: a
                  b: c
                policy: "off"
                ratio: 0.5
                isPrivileged: true
                empty: []
                raw: !override
                  - 0o17

                """)
    }

    @Test func `what is encoded is decoded equal`() throws {
        let text = try NodeEncoder().encode([Self.container]).yaml()
        var decoded = try NodeDecoder().decode([Container].self, from: load(text), refusingUnknownKeys: true)
        #expect(decoded.first?.raw?.mark.line == 22)
        decoded[0].raw = Self.container.raw
        #expect(decoded == [Self.container])
    }

    @Test func `numbers are written for every reader`() throws {
        #expect(try NodeEncoder().encode([1e30, 1.5e-7, 0.1, 3, -0.0]).json() == "[1.0e+30,1.5e-07,0.1,3.0,-0.0]")
        #expect(try NodeEncoder().encode([UInt64.max]).json() == "[18446744073709551615]")
        #expect(try NodeEncoder().encode([Int64.min]).json() == "[-9223372036854775808]")
        #expect(try NodeEncoder().encode([Float(0.1)]).json() == "[0.1]")
        #expect(try NodeEncoder().encode(7 as UInt8).json() == "7")
        #expect(try NodeEncoder().encode([nil, "a"]).json() == #"[null,"a"]"#)
    }

    @Test func `what has no place in a document is refused with its path`() throws {
        for value in [Double.nan, .infinity, -.infinity] {
            let error = try #require(throws: EncodingError.self) { try NodeEncoder().encode(["a": [0, value]]) }
            guard case .invalidValue(_, let context) = error else { return }
            #expect(context.codingPath.map(\.stringValue) == ["a", "1"])
        }
        #expect(throws: EncodingError.self) { try NodeEncoder().encode([1: "a"]) }
        #expect(throws: EncodingError.self) { try NodeEncoder().encode([Policy.off: "a"]) }
        #expect(throws: EncodingError.self) { try NodeEncoder().encode(Set([1, 2])) }
        #expect(try NodeEncoder().encode(Set(["b", "a"])).json() == #"["a","b"]"#)
    }

    class Parent: Encodable {
        var a = 1
        enum CodingKeys: String, CodingKey { case a, b, nested, list }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(a, forKey: .a)
        }
    }

    final class Child: Parent {
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nested)
            try container.encode("last", forKey: .b)
            try nested.encode(2, forKey: .a)
            var list = nested.nestedUnkeyedContainer(forKey: .list)
            try list.encode("x")
            var inner = list.nestedContainer(keyedBy: CodingKeys.self)
            try inner.encode(true, forKey: .b)
            try list.superEncoder().singleValueContainerEncoding("y")
        }
    }

    @Test func `nested containers and parent classes share their mapping`() throws {
        #expect(
            try NodeEncoder().encode(Child()).json()
                == #"{"a":1,"nested":{"a":2,"list":["x",{"b":true},"y"]},"b":"last"}"#)
    }

    @Test(arguments: [
        (
            "containerPort: 80\nprotcol: TCP\n",
            "test.yml:2:1: error: the key `protcol` is unknown\nhint: did you mean `protocol`?"
        ),
        ("containerPort: '80'\n", "test.yml:1:16: error: an integer is expected here, but this is a string"),
        ("name: web\n", "test.yml:1:1: error: the key `containerPort` is missing\nhint: add it"),
        ("name: 8080\ncontainerPort: 1\n", "test.yml:1:7: error: a string is expected here, but this is an integer"),
        ("containerPort: [1]\n", "test.yml:1:16: error: an integer is expected here, but this is a list"),
        ("- 1\n", "test.yml:1:1: error: a map is expected here, but this is a list"),
        ("containerPort: 9223372036854775808\n", "`9223372036854775808` is not an integer from"),
    ])
    func `what does not fit is named with its place`(text: String, message: String) throws {
        let node = try load(text)
        let error = try #require(throws: InvalidInput.self) {
            try NodeDecoder().decode(Port.self, from: node, refusingUnknownKeys: true)
        }
        #expect(error.description.contains(message))
    }

    @Test func `a value that its type refuses is named with its place`() throws {
        let node = try load("a: [Always, never]\n")
        let error = try #require(throws: InvalidInput.self) {
            try NodeDecoder().decode([String: [Policy]].self, from: node)
        }
        #expect(error.description.contains("test.yml:1:13: error: "))
    }

    @Test func `numbers of every width are decoded`() throws {
        let node = try load("[255, 0x7F, 18446744073709551615, 1.5, 2]")
        let items = try #require(node.sequence)
        #expect(try NodeDecoder().decode(UInt8.self, from: items[0]) == 255)
        #expect(throws: InvalidInput.self) { try NodeDecoder().decode(Int8.self, from: items[0]) }
        #expect(try NodeDecoder().decode(Int8.self, from: items[1]) == 127)
        #expect(try NodeDecoder().decode(UInt64.self, from: items[2]) == .max)
        #expect(try NodeDecoder().decode(Double.self, from: items[3]) == 1.5)
        #expect(try NodeDecoder().decode(Double?.self, from: items[4]) == 2)
        #expect(throws: InvalidInput.self) { try NodeDecoder().decode(Int.self, from: items[3]) }
    }
}

extension Encoder {
    fileprivate func singleValueContainerEncoding(_ value: String) throws {
        var container = singleValueContainer()
        try container.encode(value)
    }
}
