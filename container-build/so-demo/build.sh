#!/bin/sh
# Builds the demo's image. `so build-containers` runs a container's build.sh with
#   SO_CONTAINER_ENGINE  the engine to build with (podman)
#   SO_CONTAINER_TAG     the tag to give (so/demo:local)
#   SO_EXTRA_BUILD_ARGS  what the user said with --extra-build-args
# and where there is no build.sh, builds the Containerfile (or Dockerfile) beside it. This one prepares a context first.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
engine=${SO_CONTAINER_ENGINE:-podman}
tag=${SO_CONTAINER_TAG:-so/demo:local}

# Debian's static busybox: a dynamic one would miss its libraries in an image made from nothing.
busybox=$(command -v busybox) || {
    echo "so/demo: busybox is missing; apt-get install busybox-static" >&2
    exit 1
}
if od -An -c -N 4096 "$busybox" | tr -d ' \n' | grep -q 'ld-linux'; then
    echo "so/demo: $busybox is not static; apt-get install busybox-static" >&2
    exit 1
fi

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT INT TERM
mkdir -p "$context/root/bin" "$context/root/usr" "$context/root/etc/demo" "$context/root/data" "$context/root/tmp"
chmod 1777 "$context/root/tmp"
cp "$busybox" "$context/root/bin/busybox"
chmod 755 "$context/root/bin/busybox"
for applet in $("$busybox" --list); do
    [ "$applet" = busybox ] || ln -s busybox "$context/root/bin/$applet"
done
cp -R "$here/rootfs/." "$context/root/"
cp "$here/Containerfile" "$context/Containerfile"
# Modes of a checkout depend on its owner's umask; equal ones let the engine find an unchanged image again.
chmod -R u=rwX,go=rX "$context/root/usr" "$context/root/page" "$context/root/store" "$context/root/etc"

# shellcheck disable=SC2086 # several arguments are meant
"$engine" build ${SO_EXTRA_BUILD_ARGS-} -t "$tag" -f "$context/Containerfile" "$context"
