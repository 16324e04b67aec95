extension PythonHook {
    /// The objects that commands.py is given.
    static let objectsPart = #"""
        # The objects that commands.py is given.

        class Record:
            fields = ()

            def __init__(self, *values, **named):
                for name in self.fields:
                    setattr(self, name, None)
                for name, value in zip(self.fields, values):
                    setattr(self, name, value)
                for name, value in named.items():
                    setattr(self, name, value)

            def __repr__(self):
                return f"{type(self).__name__}({self.__dict__})"


        def record(name, fields):
            return type(name, (Record,), {"fields": tuple(fields.split())})


        CommandOptions = record("CommandOptions", "stack quiet verbose dry_run local_stack debug continue_on_error")
        ClusterContext = record(
            "ClusterContext",
            "options cluster compose_files pre_start_commands post_start_commands config env_file job_compose_files")
        DeployCommandContext = record("DeployCommandContext", "stack cluster_context deployer")
        VolumeMapping = record("VolumeMapping", "host_path container_path")
        LaconicStackSetupCommand = record(
            "LaconicStackSetupCommand",
            "chain_id node_moniker key_name initialize_network join_network connect_network create_network "
            "gentx_file_list gentx_address_list genesis_file network_dir")
        LaconicStackCreateCommand = record("LaconicStackCreateCommand", "network_dir")
        DeployEnvVars = record("DeployEnvVars", "map")


        class State(Enum):
            CREATED = 1
            CONFIGURED = 2
            STARTED = 3
            STOPPED = 4


        class Document:
            """A YAML file as an object: stack.yml or spec.yml."""

            def __init__(self, name=None, obj=None):
                self.name, self.obj, self.file_path = name, obj, None

            def init_from_file(self, path):
                self.file_path = Path(path)
                self.obj = load_yaml(self.file_path.read_text()) or {}

            def __getitem__(self, key):
                return self.obj[key]

            def __contains__(self, key):
                return key in self.obj

            def get(self, key, default=None):
                return self.obj.get(key, default)

            def __getattr__(self, name):
                if name.startswith("get_"):
                    key = name[4:].replace("_", "-")
                    return lambda: (self.__dict__["obj"] or {}).get(key)
                raise AttributeError(f"so gives hooks no {name!r} here")

            def is_kubernetes_deployment(self):
                return self.get("deploy-to") in ("k8s", "k8s-kind")

            def is_kind_deployment(self):
                return self.get("deploy-to") == "k8s-kind"

            def is_docker_deployment(self):
                return not self.is_kubernetes_deployment()


        class DeploymentContext:
            def init(self, directory):
                self.deployment_dir = Path(directory).absolute()
                self.spec, self.stack = Document(), Document(facts["stack"])
                self.spec.init_from_file(self.get_spec_file())
                self.stack.init_from_file(self.get_stack_file())
                self.id, self.deployment_id = facts["clusterID"], facts["deploymentID"]

            def get_stack_file(self):
                return self.deployment_dir / "stack.yml"

            def get_spec_file(self):
                return self.deployment_dir / "spec.yml"

            def get_env_file(self):
                return self.deployment_dir / "config.env"

            def get_deployment_file(self):
                return self.deployment_dir / "deployment.yml"

            def get_compose_dir(self):
                return self.deployment_dir / "compose"

            def get_compose_file(self, name):
                return self.get_compose_dir() / f"docker-compose-{name}.yml"

            def get_cluster_id(self):
                return self.id

            def get_deployment_id(self):
                return self.deployment_id

            def modify_yaml(self, path, change):
                path = Path(path).absolute()
                if not path.is_relative_to(self.deployment_dir):
                    raise ValueError(f"File is not inside deployment directory: {path}")
                document = load_yaml(path.read_text())
                change(document)
                path.write_text(dump_yaml(document))


        def run_container_command(context, service, command, mounts):
            image = None
            for file in facts["composeFiles"]:
                services = (load_yaml(Path(file).read_text()) or {}).get("services") or {}
                image = (services.get(service) or {}).get("image") or image
            if image is None:
                raise ValueError(f"no compose file of the stack has an image for the service {service}")
            volumes = [part for mount in mounts for part in ("-v", f"{mount.host_path}:{mount.container_path}")]
            arguments = ["podman", "run", "--rm", "--entrypoint", "sh", *volumes, image, "-c", command]
            result = subprocess.run(arguments, stdout=subprocess.PIPE)
            if result.returncode:
                raise RuntimeError(f"the command in {service} ended with exit code {result.returncode}")
            return result.stdout.decode().rstrip("\n"), 0


        def error_exit(text):
            print(f"ERROR: {text}")
            sys.exit(1)


        options = CommandOptions(facts["stack"], False, False, False, False, facts["debug"], False)


        class opts:
            o = options
        """#
}
