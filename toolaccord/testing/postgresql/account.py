"""The account of PostgreSQL's processes; they cannot run as root or as a nameless user."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

NOBODY = 65534
UNSHARE = ("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}", "--")
KEPT_CAPABILITY = "-all,+dac_override"
"""Lets the user nobody use programs and data below directories that only root can enter."""
SETPRIV = (
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    *(f"--inh-caps={KEPT_CAPABILITY}", f"--ambient-caps={KEPT_CAPABILITY}", "--"),
)


@dataclass(frozen=True, slots=True)
class Account:
    """A user for programs that do not run as root."""

    prefix: tuple[str, ...] = ()
    """The command that runs the program."""
    owner: int | None = None
    """The user id that must own the data directory; None if that is the user of this process."""

    def own(self, directory: Path) -> None:
        """Make the account the owner of *directory*, which this process has just made."""
        if self.owner is not None:
            os.chown(directory, self.owner, self.owner)

    def is_usable(self) -> bool:
        """Return whether this machine lets the account start a program."""
        try:
            return subprocess.run([*self.prefix, "true"], capture_output=True, check=False).returncode == 0
        except OSError:
            return False


OWN = Account()
MAPPED = Account(UNSHARE)
"""This process's user, shown as nobody in a user namespace: its files keep their owner."""
SWITCHED = Account(SETPRIV, NOBODY)
"""The user nobody, where user namespaces are forbidden (chroot, many containers)."""


def choose() -> Account:
    """Return this process's own account, unless it is root's or has no name."""
    is_root = os.geteuid() == 0
    if not is_root and _has_name(os.geteuid()):
        return OWN
    if MAPPED.is_usable():
        return MAPPED
    return SWITCHED if is_root else OWN


def _has_name(user: int) -> bool:
    try:
        pwd.getpwuid(user)
    except KeyError:
        return False
    return True
