"""All attacks, in the order of the page."""

from __future__ import annotations

from tests.attack import (
    a2a,
    access,
    bodies,
    caches,
    compiling,
    connections,
    framing,
    grpc_backend,
    http_backends,
    kills,
    overload,
    sessions,
    texts,
)
from tests.attack.tasks import damage, floods, nats_store, strangers

ATTACKS = (
    *access.ATTACKS,
    *framing.ATTACKS,
    *connections.ATTACKS,
    *bodies.ATTACKS,
    *sessions.ATTACKS,
    *texts.ATTACKS,
    *strangers.ATTACKS,
    *floods.ATTACKS,
    *damage.ATTACKS,
    *nats_store.ATTACKS,
    *a2a.ATTACKS,
    *caches.ATTACKS,
    *http_backends.ATTACKS,
    *grpc_backend.ATTACKS,
    *overload.ATTACKS,
    *compiling.ATTACKS,
    *kills.ATTACKS,
)
