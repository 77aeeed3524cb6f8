"""`python -m lightlint`: starts the program that the wheel has installed, with the arguments and the exit code of the caller."""
import os
import subprocess
import sys
import sysconfig


def programs():
    """Where pip may have put it: the environment, the user's folder, or beside the package (pip install --target)."""
    name = "lightlint" + (sysconfig.get_config_var("EXE") or "")
    user = "osx_framework_user" if sys.platform == "darwin" and sysconfig.get_config_var("PYTHONFRAMEWORK") else os.name + "_user"
    beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user), os.path.join(beside, "bin"), os.path.join(beside, "Scripts")):
        yield os.path.join(folder, name)


def main():
    program = next(filter(os.path.isfile, programs()), None)
    if not program:
        sys.exit("lightlint: expected the program in one of these places, found none; install the wheel again:\n  " + "\n  ".join(programs()))
    if os.name == "posix":
        os.execv(program, [program, *sys.argv[1:]])
    sys.exit(subprocess.run([program, *sys.argv[1:]], check=False).returncode)


main()
