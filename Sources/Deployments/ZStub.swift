import Stacks

func configEnvironment(_ spec: Spec) -> String { "" }
