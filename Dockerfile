# The page on a CPU:  docker build -t a3t . && docker run --rm -p 127.0.0.1:7860:7860 a3t
FROM python:3.11-slim-bookworm
WORKDIR /srv/a3t
COPY requirements.txt pyproject.toml setup.py README.md LICENSE NOTICE ./
# torch first, from the index whose builds have no CUDA: 190 MB instead of several GB.
RUN pip install --no-cache-dir -c requirements.txt "$(grep '^torch==' requirements.txt)" \
    --index-url https://download.pytorch.org/whl/cpu --extra-index-url https://pypi.org/simple
COPY a3t a3t
COPY alignment alignment
COPY app app
# Editable: the weights and the page's files are used where they lie.
RUN pip install --no-cache-dir -c requirements.txt -e '.[app]' \
    && useradd --create-home speaker
# All that is written goes to /tmp, so the rest may be read-only.
ENV MPLCONFIGDIR=/tmp/matplotlib PYTHONDONTWRITEBYTECODE=1
USER speaker
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:7860/', timeout=9)"]
# Whoever publishes the port beyond this computer adds --auth NAME:PASSWORD instead of --no-auth.
ENTRYPOINT ["python", "-m", "app", "--host", "0.0.0.0"]
CMD ["--no-auth"]
