/// What brings the work of a checkout out of a pod: it runs inside the pod and writes a git bundle to standard output.
///
/// Everything that would be lost with the volume is in it: every branch and changed tag, HEAD, every stash, what only the reflog still has, and for
/// each work tree (linked ones, embedded repositories and submodules too) what is staged and what is not committed, untracked files included.
/// What cannot be represented is said on standard error, a line each: `so-incomplete: …`.
enum CollectScript {
    /// The words to run it with.
    ///
    /// - Parameter copied: the ignored files that came along, relative to the checkout, in the order of `copy:`.
    static func command(_ checkout: Checkout, base: String, copied: [String]) -> [String] {
        let copies = copied.enumerated().flatMap { [$1, "\(PodPaths.scripts)/copy-\($0)"] }
        return [
            "sh", "-c", text, "so-collect", checkout.session.references, checkout.directory, checkout.baseStore, base,
            checkout.places.joined(separator: ":"),
        ]
            + copies
    }

    static let incompleteMark = "so-incomplete: "
    static let noteMark = "so-note: "

    private static let text = """
        set -u
        prefix=$1 top=$2 store=$3 base=$4 places=$5
        shift 5
        export LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_EDITOR=false GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none
        export GIT_AUTHOR_NAME=so GIT_AUTHOR_EMAIL=so@localhost GIT_COMMITTER_NAME=so GIT_COMMITTER_EMAIL=so@localhost
        unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY || :
        git config --global --list >/dev/null 2>&1 </dev/null || [ ! -e "${HOME:-/}/.gitconfig" ] || export GIT_CONFIG_GLOBAL=/dev/null
        # The agent may have recreated the repository, without the base's objects.
        export GIT_ALTERNATE_OBJECT_DIRECTORIES="$store/objects"
        work=$(mktemp -d) || exit 1
        trap 'rm -rf "$work"' EXIT
        : >"$work/refs" && printf '%s\\n' "$store/objects" >"$work/objects" || exit 1

        g() {
            git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c gc.auto=0 -c commit.gpgSign=false \\
                -c safe.directory='*' -c core.untrackedCache=false -c core.splitIndex=false "$@"
        }
        lacks() { printf 'so-incomplete: %s\\n' "$*" >&2; }
        ref() { printf '%s %s%s\\n' "$1" "$prefix" "$2" >>"$work/refs"; }

        # snapshot NAME TREE PARENT...: a commit that is the same for the same state.
        snapshot() {
            what=$1 tree=$2
            shift 2
            parents=
            for parent; do parents="$parents -p $parent"; done
            date=0
            [ $# = 0 ] || date=$(g show -s --format=%ct "$1")
            GIT_AUTHOR_DATE="@$date +0000" GIT_COMMITTER_DATE="@$date +0000" \\
                g commit-tree $parents -m "$what" "$tree"
        }

        # readable DIRECTORY: whether it is itself the top of a repository's work tree, or a bare repository.
        readable() {
            [ "$(g -C "$1" rev-parse --is-inside-work-tree 2>/dev/null)" = true ] &&
                [ "$(g -C "$1" rev-parse --show-toplevel 2>/dev/null)" = "$(cd "$1" && pwd -P)" ]
        }

        # files: the checkout's files alone, upon the base, where it has no repository that git can read.
        files() (
            cd "$top" || exit 1
            export GIT_DIR="$work/repository" GIT_WORK_TREE="$top" GIT_INDEX_FILE="$work/index"
            rm -f "$GIT_INDEX_FILE"
            printf '%s\\n' .so/ >>"$GIT_DIR/info/exclude"
            g read-tree "$base" || exit 1
            g add -A --ignore-errors -- . ':(exclude).git' $(exclusions "$top") 2>"$work/errors" ||
                lacks "$top: $(head -n 1 "$work/errors")"
            tree=$(g write-tree) || exit 1
            [ "$tree" = "$(g rev-parse "$base^{tree}")" ] ||
                ref "$(snapshot "so: what was in $top, which had no repository" "$tree" "$base")" wip
        )

        # save DIRECTORY NAME: the state of one work tree; NAME is empty for the checkout itself, else ends with a slash.
        save() (
            dir=$1 name=$2
            cd "$dir" || exit 1
            readable "$dir" || { lacks "$dir: git cannot read this repository"; exit 0; }
            objects=$(g rev-parse --path-format=absolute --git-path objects)
            case $objects in
            *[\\":]*) lacks "$dir: git cannot be given a path with : or a quote as alternates" ;;
            *) printf '%s\\n' "$objects" >>"$work/objects" ;;
            esac
            head=$(g rev-parse -q --verify 'HEAD^{commit}' || :)
            parent=$head
            [ -n "$parent" ] || [ "$dir" != "$top" ] || parent=$base
            index=$(g rev-parse --path-format=absolute --git-path index)
            export GIT_INDEX_FILE="$work/index"
            rm -f "$GIT_INDEX_FILE"
            staged=
            if [ -f "$index" ]; then
                staged=$(GIT_INDEX_FILE="$index" g write-tree 2>/dev/null || :)
                if [ -z "$(GIT_INDEX_FILE="$index" g ls-files -v | grep -v '^[HMRCK?] ' | head -n 1)" ]; then
                    cp "$index" "$GIT_INDEX_FILE"
                fi
            fi
            if [ ! -f "$GIT_INDEX_FILE" ] && [ -n "$head" ]; then g read-tree "$head"; fi
            added=0
            g add -A --ignore-errors -- . $(exclusions "$dir") 2>"$work/errors" || added=$?
            # A directory that may not be read is no error to git.
            grep -E '^(error|fatal): |^warning: could not open' "$work/errors" | sort -u | head -n 20 |
                while read -r line; do lacks "$dir: $line"; done
            [ "$added" = 0 ] || [ -s "$work/errors" ] || lacks "$dir: git add failed"
            # Nor does it look into the folder of a submodule that was not fetched.
            g -c core.quotePath=false ls-files -s | sed -n 's/^160000 [^\t]*\t//p' | while read -r path; do
                [ -e "$path/.git" ] || [ -z "$(find "$path" -mindepth 1 2>/dev/null | head -n 1)" ] ||
                    lacks "$dir/$path: files in the folder of a submodule that was not fetched"
            done
            tree=$(g write-tree) || { lacks "$dir: its files could not be written as a tree"; exit 0; }
            unset GIT_INDEX_FILE
            headtree=
            [ -z "$head" ] || headtree=$(g rev-parse "$head^{tree}")
            # A shallow clone's history ends where the store has nothing: its files alone are kept.
            if [ "$(g rev-parse --is-shallow-repository)" = true ] && [ "$dir" != "$top" ]; then
                ref "$(snapshot "so: files of $dir, whose clone is shallow" "$tree")" "${name}files"
                [ -z "$(g rev-list --max-count=1 --branches HEAD --not --remotes 2>/dev/null)" ] ||
                    lacks "$dir: commits upon a shallow clone"
                exit 0
            fi
            [ -z "$head" ] || ref "$head" "${name}HEAD"
            if [ -n "$staged" ] && [ "$staged" != "$headtree" ] && [ "$staged" != "$tree" ]; then
                ref "$(snapshot "so: what was staged in $dir" "$staged" $parent)" "${name}index"
            fi
            if [ "$tree" != "$headtree" ]; then
                ref "$(snapshot "so: what was not committed in $dir" "$tree" $parent)" "${name}wip"
            fi
        )

        # shared DIRECTORY NAME: what the work trees of one repository share.
        shared() (
            dir=$1 name=$2
            cd "$dir" || exit 1
            [ "$(g rev-parse --is-shallow-repository)" = false ] || [ "$dir" = "$top" ] || exit 0
            g for-each-ref --format='%(objectname) %(refname)' | while read -r object full; do
                case $full in
                refs/remotes/* | refs/stash | refs/so/*) ;;
                refs/heads/*) ref "$object" "${name}heads/${full#refs/heads/}" ;;
                refs/tags/*) grep -qxF "$object $full" "$work/known" || ref "$object" "${name}tags/${full#refs/tags/}" ;;
                *) ref "$object" "${name}other/${full#refs/}" ;;
                esac
            done
            number=0
            for object in $(g reflog show --format=%H refs/stash 2>/dev/null); do
                ref "$object" "${name}stash/$number"
                number=$((number + 1))
            done
            # The tips alone: what they follow comes with them.
            g rev-list --parents --reflog --not --all 2>/dev/null >"$work/listed"
            cut -s -d ' ' -f 2- "$work/listed" | tr ' ' '\\n' | sort -u >"$work/followed"
            cut -d ' ' -f 1 "$work/listed" | sort -u | comm -23 - "$work/followed" >"$work/tips"
            for object in $(head -n 500 "$work/tips"); do ref "$object" "${name}reflog/$object"; done
            more=$(tail -n +501 "$work/tips" | wc -l)
            [ "$more" = 0 ] || lacks "$dir: $more lines of commits that only the reflog has, beyond 500"
            lfs=$(g rev-parse --path-format=absolute --git-path lfs/objects)
            if [ -d "$lfs" ] && [ -n "$(find "$lfs" -type f | head -n 1)" ]; then
                rm -f "$work/index"
                tree=$(cd "$lfs" && export GIT_INDEX_FILE="$work/index" && g --git-dir="$(g -C "$dir" rev-parse --absolute-git-dir)" \\
                    --work-tree="$lfs" add -A -f . && g --git-dir="$(g -C "$dir" rev-parse --absolute-git-dir)" write-tree) &&
                    ref "$(snapshot "so: LFS objects of $dir" "$tree")" "${name}lfs" || lacks "$dir: LFS objects"
            fi
        )

        # copies [FILE ORIGINAL]...: ignored files that came along and were changed, apart from the work: they may hold what is not to be committed.
        copies() (
            cd "$top" || exit 1
            export GIT_INDEX_FILE="$work/index"
            rm -f "$GIT_INDEX_FILE"
            changed=
            while [ $# -gt 1 ]; do
                file=$1 original=$2
                shift 2
                # A pipe would be waited for.
                [ -f "$file" ] && ! { [ -f "$original" ] && cmp -s "$file" "$original"; } && g check-ignore -q -- "$file" || continue
                if g add -f -- ":(literal)$file" 2>/dev/null; then changed=yes; else lacks "$file could not be added"; fi
            done
            [ -z "$changed" ] || ref "$(snapshot 'so: files of copy: that were changed' "$(g write-tree)")" copied
        )

        # loose PLACE NAME LEFT: files beside the checkout that are in no repository, but for names like LEFT; as a tree that nothing follows.
        loose() (
            [ -n "$1" ] && cd "$1" 2>/dev/null || exit 0
            export GIT_DIR="$work/repository" GIT_WORK_TREE="$1" GIT_INDEX_FILE="$work/index" GIT_LITERAL_PATHSPECS=1
            rm -f "$GIT_INDEX_FILE"
            find . -mindepth 1 -maxdepth 1 ! -name "$3" ! -name "${top##*/}" ! -name "${store##*/}" 2>/dev/null |
                while read -r path; do
                    find "$path" -type d \\( -exec test -e '{}/.git' \\; -o -exec test -d '{}/refs' -a -d '{}/objects' \\; \\) -prune -o \\
                        -type d \\( -name node_modules -o -name __pycache__ \\) -prune -o \\( -type f -o -type l \\) -print 2>/dev/null
                done >"$work/loose"
            [ -s "$work/loose" ] || exit 0
            count=$(wc -l <"$work/loose")
            kilobytes=$(($(tr '\\n' '\\0' <"$work/loose" | xargs -0 du -k 2>/dev/null | cut -f 1 | paste -s -d + -)))
            if [ "$count" -gt 5000 ] || [ "$kilobytes" -gt 262144 ]; then
                said="$1: $count files beside the checkout, $kilobytes KiB, are more than is brought along"
                if [ "$2" = work ]; then lacks "$said"; else printf 'so-note: %s\\n' "$said" >&2; fi
                exit 0
            fi
            tr '\\n' '\\0' <"$work/loose" | g add -f --pathspec-from-file=- --pathspec-file-nul 2>"$work/errors" || {
                lacks "$1: files beside the checkout: $(head -n 1 "$work/errors")"
                exit 0
            }
            tree=$(g write-tree) || exit 0
            ref "$(snapshot "so: files of $1, beside the checkout" "$tree")" "loose/$2"
            printf 'so-note: %s\\n' "$count files of $1 that are in no repository are kept at ${prefix}loose/$2" >&2
        )

        # Repositories without a commit below a directory: git add refuses them.
        exclusions() {
            (cd "$1" && find . -mindepth 2 -name .git -prune -print 2>/dev/null) | while read -r path; do
                path=${path%/.git}
                case $path in *[!A-Za-z0-9_./-]*) continue ;; esac
                g -C "$1/$path" rev-parse -q --verify HEAD >/dev/null 2>&1 || printf '%s\\n' ":(exclude)$path"
            done
        }

        g --git-dir="$store" for-each-ref --format='%(objectname) %(refname)' >"$work/known" || exit 1
        g init -q --bare --object-format="$(g --git-dir="$store" rev-parse --show-object-format)" "$work/repository" || exit 1
        mkdir -p "$work/repository/info"
        [ ! -f "$store/shallow" ] || cp "$store/shallow" "$work/repository/shallow"
        packing=$work/repository
        if cd "$top" 2>/dev/null; then
            top=$(pwd -P)
            if readable "$top"; then
                packing=$top
                save "$top" "" || exit 1
                copies "$@"
                shared "$top" ""
            else
                [ ! -e .git ] || lacks "$top: git cannot read this repository"
                files || lacks "$top: its files could not be written as a tree"
                printf '%s\\n' "$work/repository/objects" >>"$work/objects"
            fi
        else
            printf 'so-note: %s\\n' "the checkout $top is gone" >&2
        fi

        # own DIRECTORY: whether a repository beside the checkout has what is nowhere else.
        own() {
            [ -n "$(g -C "$1" rev-list --max-count=1 --all HEAD --not --remotes 2>/dev/null)" ] ||
                [ -n "$(g -C "$1" rev-list --max-count=1 --reflog --not --remotes 2>/dev/null)" ] ||
                [ -n "$(g -C "$1" status --porcelain 2>&1 | head -n 1)" ]
        }
        { [ ! -d "$top" ] || find "$top" -mindepth 2 -name .git -prune -print 2>/dev/null
          [ "$packing" != "$top" ] || g -C "$top" worktree list --porcelain | sed -n 's/^worktree //p' | sed 's,$,/.git,'
          } | sort -u >"$work/nested"
        printf %s "$places" | tr : '\\n' | { cat; echo; } | while read -r place; do
            [ -z "$place" ] || [ ! -d "$place" ] || find "$place" \\( -path "$top" -o -path "$store" -o -path "$work" \\) -prune -o \\
                \\( -name .git -prune -print \\) -o \\( -type f -name HEAD -print \\) 2>/dev/null
        done | while read -r path; do
            case $path in
            */.git) dir=${path%/.git} ;;
            *) dir=${path%/HEAD}; [ -d "$dir/objects" ] && [ -d "$dir/refs" ] || continue ;;
            esac
            ! g -C "$dir" rev-parse --git-dir >/dev/null 2>&1 || ! own "$dir" || printf '%s\\n' "$path"
        done | sort -u | comm -23 - "$work/nested" >>"$work/nested.beside"
        cat "$work/nested.beside" >>"$work/nested"
        number=0
        while read -r path; do
            dir=${path%/.git}
            [ "$path" != "$dir" ] || dir=${path%/HEAD}
            [ "$dir" != "$top" ] && [ -e "$path" ] || continue
            number=$((number + 1))
            name=repos/$number-$(printf %s "${dir#"$top"/}" | tr -c 'A-Za-z0-9_-' _ | tail -c 80)/
            if [ "$(g -C "$dir" rev-parse --is-bare-repository 2>/dev/null)" = true ]; then
                g -C "$dir" rev-parse --path-format=absolute --git-path objects >>"$work/objects"
            else
                save "$dir" "$name"
            fi
            common=$(g -C "$dir" rev-parse --path-format=absolute --git-common-dir 2>/dev/null || :)
            [ "$common" = "$top/.git" ] || [ -z "$common" ] || shared "$dir" "$name"
        done <"$work/nested"
        # In a home hidden files are settings and caches.
        loose "${places%%:*}" work ''
        [ "$places" = "${places#*:}" ] || loose "${places#*:}" home '.*'
        printf '%s\\n' "$work/repository/objects" >>"$work/objects"
        cd "$packing" || exit 1

        sort -u "$work/refs" >"$work/sorted"
        { cut -d ' ' -f 1 "$work/sorted" | sort -u
          echo --not
          printf '%s\\n' "$base"
          cut -d ' ' -f 1 "$work/known" | sort -u; } >"$work/revisions"
        alternates=$(sort -u "$work/objects" | paste -s -d :)
        printf '# v2 git bundle\\n-%s base\\n' "$base"
        cat "$work/sorted"
        echo
        GIT_ALTERNATE_OBJECT_DIRECTORIES=$alternates \\
            g pack-objects --revs --thin --stdout --delta-base-offset -q <"$work/revisions"
        """
}
