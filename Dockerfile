# One server: `docker build --build-arg SERVER=portfolio-mcp --tag localhost/portfolio-mcp:1.2.0 .`; see docs/container.md.
ARG BASE=python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
FROM ${BASE} AS build
ARG SERVER=strategy-mcp
WORKDIR /build
COPY .ci/bootstrap.txt .ci/excludes.txt constraints.txt generated/extras.txt pyproject.toml ./
COPY .ci/servers .ci/servers
# Only locked packages, by their hashes: uv, then the dependencies of the server, then those of the build.
# A server has the extras of its line in extras.txt, and its own of .ci/servers/pyproject.toml if there is one.
# It has `toolaccord migrate` from the compiler's wheel, and none of the compiler's own dependencies.
RUN sed -n "/^${SERVER} /{s/^[^ ]* //;s/[^ ]\+/--extra=&/g;p}" extras.txt > chosen.txt \
    && test -s chosen.txt \
    && sed -n "s/^${SERVER} = \[.*/--extra=${SERVER}/p" .ci/servers/pyproject.toml >> chosen.txt \
    && python3 -m venv tools \
    && tools/bin/pip install --no-cache-dir --require-hashes --requirement bootstrap.txt \
    && tools/bin/uv venv --no-cache --python "$(command -v python3)" /opt/toolaccord \
    && xargs tools/bin/uv pip install --no-cache --python /opt/toolaccord --compile-bytecode \
        --require-hashes --constraints constraints.txt --excludes excludes.txt \
        --requirements pyproject.toml --requirements .ci/servers/pyproject.toml < chosen.txt \
    && tools/bin/uv pip install --no-cache --python tools \
        --require-hashes --constraints constraints.txt --group build
COPY README.md LICENSE ./
COPY codegen codegen
COPY generated generated
COPY handlers handlers
COPY sandbox sandbox
COPY toolaccord toolaccord
RUN tools/bin/uv build --no-cache --wheel --no-build-isolation --python tools --out-dir dist . \
    && tools/bin/uv build --no-cache --wheel --no-build-isolation --python tools --out-dir dist codegen \
    && tools/bin/uv build --no-cache --wheel --no-build-isolation --python tools --out-dir dist .ci/servers \
    && tools/bin/uv pip install --no-cache --python /opt/toolaccord --compile-bytecode --no-deps dist/*.whl

FROM ${BASE}
ARG SERVER=strategy-mcp
ARG NAMESPACE=com.example
# The MCP registry compares this label with server.json to verify the owner of the image.
LABEL io.modelcontextprotocol.server.name="${NAMESPACE}/${SERVER}"
COPY --from=build /opt/toolaccord /opt/toolaccord
RUN test -x "/opt/toolaccord/bin/${SERVER}" && ln -s "/opt/toolaccord/bin/${SERVER}" /usr/local/bin/server
ENV PATH=/opt/toolaccord/bin:$PATH
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s CMD ["python", "-m", "toolaccord.server.healthcheck"]
ENTRYPOINT ["server"]
CMD ["--transport", "http", "--host", "0.0.0.0", "--port", "8000"]
