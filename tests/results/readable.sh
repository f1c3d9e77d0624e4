#!/bin/sh
# readable.sh PARTITA FOLDER: looks for a Python that has h5py, pandas and PyTables, and lets it read
# a result. Skipped (77), and says so, where there is none.
set -eu
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import h5py, pandas, tables' 2>/dev/null; then
        exec "$python" -W ignore "$2/readable.py" "$1" "$2/world.yaml" "$2/many.yaml" "$2/stopped.yaml" "$2/moved.yaml"
    fi
done
echo "skipped: no python3 here has h5py, pandas and tables (python3-h5py python3-pandas python3-tables)"
exit 77
