import KubernetesObjects
import Testing
import YAML

@Suite struct EncodingTests {
    @Test func `absent fields are left out, keys stand in the order of their declaration, maps in that of their keys`()
        throws
    {
        var spec = ServiceSpec()
        spec.type = "ClusterIP"
        spec.selector = ["b": "2", "a": "1"]
        spec.ports = [ServicePort(name: "80-tcp", port: 80, targetPort: .int(80), protocol: "TCP")]
        let object = KubernetesObject.service(Service(metadata: ObjectMeta(name: "web"), spec: spec))
        #expect(
            try object.node().json(pretty: false)
                == #"{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"type":"ClusterIP","selector":{"a":"1","b":"2"},"ports":[{"name":"80-tcp","port":80,"targetPort":80,"protocol":"TCP"}]}}"#
        )
    }

    @Test func `an int-or-string is a number or a string`() throws {
        let update = RollingUpdate(maxUnavailable: 0, maxSurge: "25%")
        #expect(try NodeEncoder().encode(update).json(pretty: false) == #"{"maxUnavailable":0,"maxSurge":"25%"}"#)
    }

    @Test func `what is encoded decodes to an equal value`() throws {
        var container = Container(name: "c", image: "i")
        container.env = [EnvVar(name: "A", value: "1")]
        container.resources = ResourceRequirements(limits: ["cpu": "1"])
        let template = PodTemplateSpec(metadata: ObjectMeta(labels: ["a": "b"]), spec: PodSpec(containers: [container]))
        let job = Job(
            metadata: ObjectMeta(name: "j", namespace: "n"), spec: JobSpec(backoffLimit: 0, template: template))
        #expect(try NodeDecoder().decode(Job.self, from: NodeEncoder().encode(job)) == job)
    }
}
