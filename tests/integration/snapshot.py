"""Makes a clean Git repository from the working tree, for tools that install from a repository."""
import os
import shutil
import subprocess

IDENTITY = ["-c", "user.name=test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false",
            "-c", "core.autocrlf=false", "-c", "init.defaultBranch=main"]


def git(folder, *arguments, **more):
    return subprocess.run(["git", *IDENTITY, "-C", folder, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=True, **more).stdout


def environment(scratch, **more):
    """Environment without the caller's settings and without a network: what needs either fails."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("GIT_", "PIP_", "PRE_COMMIT", "PYTHON", "VIRTUAL_ENV", "SKIP", "CMAKE_", "MAKE"))}
    nowhere = "http://127.0.0.1:9"
    return {**kept, "HOME": scratch, "XDG_CACHE_HOME": os.path.join(scratch, "cache"), "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.path.join(scratch, "gitconfig"), "GIT_TERMINAL_PROMPT": "0", "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1", "http_proxy": nowhere, "https_proxy": nowhere,
            "PRE_COMMIT_HOME": os.path.join(scratch, "pre-commit"), "PRE_COMMIT_COLOR": "never", "LC_ALL": "C.UTF-8",
            "TMPDIR": scratch, **more}


def names_of(source):
    """Files of the working tree: tracked by Git or not ignored; without Git, all except build results."""
    if os.path.exists(os.path.join(source, ".git")):
        listing = git(source, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return sorted({name for name in listing.split("\0") if name})
    names = []
    for folder, folders, files in os.walk(source):
        folders[:] = [name for name in folders if name not in (".git", "__pycache__") and
                      not os.path.exists(os.path.join(folder, name, "CMakeCache.txt")) and not name.startswith("build")]
        names += [os.path.relpath(os.path.join(folder, name), source) for name in files]
    return sorted(names)


def take(source, target):
    """Copies the project to `target` and commits it there."""
    shutil.rmtree(target, ignore_errors=True)
    for name in names_of(source):
        path = os.path.join(source, name)
        if os.path.isfile(path):
            os.makedirs(os.path.join(target, os.path.dirname(name)), exist_ok=True)
            shutil.copy2(path, os.path.join(target, name))
    commit(target)


def commit(folder):
    git(folder, "init", "-q")
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-q", "-m", "as it is")
