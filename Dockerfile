# The class deployment of docs/DEPLOYMENT.md in one container, in the versions that the tests ran with:
#   docker build -t safe-explorer .
#   docker run --rm -p 127.0.0.1:5006:5006 safe-explorer
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN python -m venv /opt/safe-explorer \
    && /opt/safe-explorer/bin/pip install --no-cache-dir --constraint constraints.txt .

FROM python:3.11-slim-bookworm
RUN apt-get update \
    && apt-get install -y --no-install-recommends tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 explorer
COPY --from=build /opt/safe-explorer /opt/safe-explorer
ENV PATH=/opt/safe-explorer/bin:$PATH \
    PYTHONUNBUFFERED=1
USER explorer
WORKDIR /home/explorer
# Kernels are compiled into this user's cache, so that no start waits for them.
RUN python -c "from app.warm import warm_up; warm_up()"
EXPOSE 5006
HEALTHCHECK --start-period=60s --timeout=20s \
    CMD ["python", "-c", "import urllib.request as r; assert b'SAFE Explorer' in r.urlopen('http://127.0.0.1:5006/app', timeout=15).read()"]
# tini buries orphans; `safe-explorer app` ends its workers when told to stop. Inside the container the page listens on every
# interface: which of the machine's it is reached by, -p says. Behind a proxy give -e BOKEH_ALLOW_WS_ORIGIN=safe.example.org.
ENTRYPOINT ["tini", "--", "safe-explorer", "app", "--address", "0.0.0.0"]
CMD ["--num-procs", "2"]
