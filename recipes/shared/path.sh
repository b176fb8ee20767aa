# The Python of the stages: the one in PYTHON, that of the active environment, or else make's.
python=python
if [ -z "${VIRTUAL_ENV:-}${CONDA_PREFIX:-}" ] && [ -x ../../.venv/bin/python ]; then
    python=$(cd ../../.venv/bin && pwd)/python
fi
python=${PYTHON:-$python}
export PYTHONIOENCODING=UTF-8
