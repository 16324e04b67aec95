import KubernetesObjects
import Rendering
import Testing

/// Users by name on clusters: the image's numbers, where somebody has looked them up.
@Suite struct NamedUserTests {
    @Test func `a named user runs by the numbers that the image says, and one that it does not name is an error`()
        throws
    {
        let rendered = try render(
            """
            services:
              a: {image: "x:1", user: "web:staff"}
              b: {image: "y:1", user: web}
            """, target: .kubernetes, spec: "image-overrides: {b: \"x:1\"}"
        ) { options in
            options.userNumber = { user in user.image == "x:1" ? (user.isGroup ? 50 : 101) : nil }
        }
        #expect(rendered.errors == [])
        let context = try rendered.pod("a").spec.containers.first?.securityContext
        #expect(context?.runAsUser == 101 && context?.runAsGroup == 50)
        #expect(try rendered.pod("b").spec.containers.first?.securityContext?.runAsUser == 101)
        let refused = try render("services: {a: {image: \"y:1\", user: web}}", target: .kubernetes)
        #expect(refused.errors.count == 1 && refused.errors[0].contains("numbers only"))
    }
}
