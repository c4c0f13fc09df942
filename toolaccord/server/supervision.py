"""Start of a process that supervises workers, in which the same command serves."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from toolaccord.config import process_settings
from toolaccord.config.access_rules import read_access_rules
from toolaccord.server import startup
from toolaccord.server.listener import listen, open_certificate
from toolaccord.server.options import Options
from toolaccord.server.serve import ConfiguredServer
from toolaccord.server.workers.balance import Balance
from toolaccord.server.workers.supervisor import Supervisor
from toolaccord.server.workers.worker_process import Command


def supervise(configured: ConfiguredServer, options: Options, environ: Mapping[str, str], count: int) -> int:
    """Listen, and keep *count* workers running in *environ*; return the exit code.

    All faults that need no worker are found here, and so reported once. Raises UnprotectedServer and SettingsError as a
    server does, and StartError if the port is in use or the first worker does not start.
    """
    access = read_access_rules(configured.settings, options.host, configured.server)
    is_secure = open_certificate(access) is not None  # each worker watches its own
    sockets, _ = listen(configured.server.name, options.host, options.port, is_secure=is_secure)
    arguments = [sys.executable, *sys.orig_argv[1:]]  # executed anew, so that a new worker has the new code
    command = Command(arguments=arguments, environ=environ, sockets=sockets, balance=Balance.create(4 * count))
    supervisor = Supervisor(command, count, process_settings.read_stop_timeouts(configured.settings))
    return startup.run_loop(supervisor.run(), "supervisor") or supervisor.exit_code
