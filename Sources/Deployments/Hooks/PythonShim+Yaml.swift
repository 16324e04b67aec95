extension PythonHook {
    /// YAML: read by `so` itself, written as plain block YAML.
    static let yamlPart = #"""
        """Calls one function of a stack's deploy/commands.py with the objects that it expects.

            python3 -I -c SHIM FUNCTION COMMANDS_PY, with facts as JSON on standard input
        """
        import importlib.abc, importlib.machinery, importlib.util, json, os, subprocess, sys, types
        from enum import Enum
        from pathlib import Path

        facts = json.load(sys.stdin)
        function, source = sys.argv[1:3]


        # YAML: read by so itself, written as plain block YAML.

        def load_yaml(stream):
            text = stream.read() if hasattr(stream, "read") else stream
            if isinstance(text, bytes):
                text = text.decode()
            if not text.strip():
                return None
            result = subprocess.run([facts["so"], "yaml-to-json"], input=text.encode(), stdout=subprocess.PIPE, check=True)
            return json.loads(result.stdout)


        def scalar(value):
            if isinstance(value, str):
                return json.dumps(value, ensure_ascii=False)
            if isinstance(value, (bool, int, float)) or value is None:
                return json.dumps(value)
            return json.dumps(str(value), ensure_ascii=False)


        def block(value, indent=""):
            if isinstance(value, dict) and value:
                lines = []
                for key, item in value.items():
                    nested = isinstance(item, (dict, list, tuple)) and item
                    lines.append(indent + scalar(str(key)) + ":" + ("\n" + block(item, indent + "  ") if nested else " " + block(item)))
                return "\n".join(lines)
            if isinstance(value, (list, tuple)) and value:
                lines = []
                for item in value:
                    nested = isinstance(item, (dict, list, tuple)) and item
                    lines.append(indent + "-" + ("\n" + block(item, indent + "  ") if nested else " " + block(item)))
                return "\n".join(lines)
            if isinstance(value, dict):
                return "{}"
            if isinstance(value, (list, tuple)):
                return "[]"
            return scalar(value)


        def dump_yaml(value, stream=None, **_):
            text = block(value) + "\n"
            if stream is None:
                return text
            stream.write(text)


        class Yaml:
            preserve_quotes = True

            def indent(self, **_):
                pass

            def load(self, stream):
                return load_yaml(stream)

            def dump(self, value, stream=None, **_):
                return dump_yaml(value, stream)
        """#
}
