# One image, three commands: the web server (below), a worker and beat (docker-compose.yml).

FROM python:3.13-slim-trixie AS packages

ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
RUN pip install --no-cache-dir uv==0.13.8
WORKDIR /build
COPY requirements.txt .
RUN --mount=type=cache,target=/root/.cache/uv \
    uv venv /venv \
    && uv pip install --python /venv --require-hashes --requirements requirements.txt


FROM python:3.13-slim-trixie

ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    # The running user cannot write bytecode beside the code, which is compiled below instead.
    PYTHONDONTWRITEBYTECODE=1 \
    # Processes are the parallelism; NumPy's threads would fight them for the cores.
    OPENBLAS_NUM_THREADS=1 \
    SOFTMARK_DATA=/app/.data \
    SOFTMARK_HEARTBEAT=/tmp/heartbeat

# pg_dump and pg_restore, for `manage.py backup`; of the version that docker-compose.yml runs.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends postgresql-client-17 \
    && rm -rf /var/lib/apt/lists/*

# Volumes mounted over these folders take their owner from here.
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin softmark \
    && install --directory --owner=softmark /app/.data/media /app/.data/static-of-all-releases
WORKDIR /app
COPY --from=packages /venv /venv
# .dockerignore lets only the files through that the site needs to run.
COPY . .
# The settings require values that collecting files does not use; they end with this line.
RUN python -m compileall -q . \
    && SOFTMARK_SECRET_KEY=unused SOFTMARK_ALLOWED_HOSTS=unused \
       DATABASE_URL=sqlite:////unused REDIS_URL=redis://unused \
       python manage.py collectstatic --no-input

# All files above belong to root, so a compromised process cannot change them.
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["python", "deploy/healthy.py", "web"]
CMD ["gunicorn", "--config", "deploy/gunicorn.conf.py"]
