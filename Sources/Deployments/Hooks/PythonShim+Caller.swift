extension PythonHook {
    /// stack-orchestrator's packages by name, and the call.
    static let callerPart = #"""
        modules = {
            "util": {"get_yaml": Yaml, "error_exit": error_exit},
            "opts": {"opts": opts},
            "command_types": {"CommandOptions": CommandOptions},
            "constants": {
                "stack_file_name": "stack.yml", "spec_file_name": "spec.yml", "config_file_name": "config.env",
                "deployment_file_name": "deployment.yml", "compose_dir_name": "compose"},
            "deploy": {},
            "deploy.deploy_types": {
                "ClusterContext": ClusterContext, "DeployCommandContext": DeployCommandContext,
                "VolumeMapping": VolumeMapping, "LaconicStackSetupCommand": LaconicStackSetupCommand,
                "LaconicStackCreateCommand": LaconicStackCreateCommand, "DeployEnvVars": DeployEnvVars},
            "deploy.deploy_util": {"VolumeMapping": VolumeMapping, "run_container_command": run_container_command},
            "deploy.deployment_context": {"DeploymentContext": DeploymentContext},
            "deploy.spec": {"Spec": Document},
            "deploy.stack": {"Stack": Document},
            "deploy.stack_state": {"State": State},
        }


        class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
            """stack-orchestrator's packages, as far as hooks use them; and small packages that it brought along."""

            def find_spec(self, name, path=None, target=None):
                package, _, inner = name.partition(".")
                if package in ("stack_orchestrator", "app"):
                    if inner and inner not in modules:
                        raise ImportError(f"so gives hooks no module {name}: it has {', '.join(sorted(modules))}", name=name)
                    return importlib.machinery.ModuleSpec(name, self, is_package=inner in ("", "deploy"))
                if name in ("yaml", "ruamel", "ruamel.yaml", "tomli"):
                    return importlib.machinery.ModuleSpec(name, self, is_package=name == "ruamel")
                return None

            def create_module(self, spec):
                return None

            def exec_module(self, module):
                package, _, inner = module.__name__.partition(".")
                if package in ("stack_orchestrator", "app"):
                    module.__dict__.update(modules.get(inner, {}))
                    module.__getattr__ = lambda name: missing(module.__name__, name)
                elif module.__name__ == "yaml":
                    module.safe_load = module.load = lambda stream, *_, **__: load_yaml(stream)
                    module.safe_dump = module.dump = dump_yaml
                elif module.__name__ == "ruamel.yaml":
                    module.YAML = lambda *_, **__: Yaml()
                elif module.__name__ == "tomli":
                    import tomllib
                    module.load, module.loads = tomllib.load, tomllib.loads


        def missing(module, name):
            if name.startswith("__"):
                raise AttributeError(name)
            raise ImportError(f"so gives hooks no {name} of {module}", name=name)


        # Last: packages that the host has count before ours.
        sys.meta_path.append(Finder())
        sys.dont_write_bytecode = True
        sys.path.insert(0, os.path.dirname(os.path.abspath(source)))
        result_stream, sys.stdout = sys.stdout, sys.stderr
        spec = importlib.util.spec_from_file_location("commands", source)
        commands = importlib.util.module_from_spec(spec)
        sys.modules["commands"] = commands
        spec.loader.exec_module(commands)
        call = getattr(commands, function, None)
        if not callable(call):
            sys.exit(0)
        cluster = ClusterContext(
            options, facts["clusterID"], facts["composeFiles"], [], [], None, None, [])
        context = DeployCommandContext(facts["stack"], cluster, None)
        if function == "init":
            result = call(context)
            if result:
                result_stream.write(result if isinstance(result, str) else dump_yaml(result))
        elif function == "setup":
            setup = facts["setup"]
            call(context, LaconicStackSetupCommand(**setup), facts["arguments"])
        else:
            deployment = DeploymentContext()
            deployment.init(facts["directory"])
            if function == "create":
                call(deployment, [facts["networkDirectory"], facts["initialPeers"], *(facts["arguments"] or [context])])
            else:
                call(deployment)
        """#
}
