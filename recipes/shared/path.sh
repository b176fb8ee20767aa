# What the stages run with: the Python of the environment that is active, or the one that PYTHON names.
python=${PYTHON:-python}
export PYTHONIOENCODING=UTF-8
