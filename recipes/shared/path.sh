# The Python of the stages: that of the active environment, or the one in PYTHON.
python=${PYTHON:-python}
export PYTHONIOENCODING=UTF-8
