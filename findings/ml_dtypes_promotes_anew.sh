#!/usr/bin/env bash
# From ml_dtypes 0.6.0 to 0.7.0 the same NumPy expressions on bfloat16 have another dtype, without a word.
#
# numpy 2.4.6. An array of bfloat16 plus the Python number 1.0 is float32 with ml_dtypes 0.6.0 and bfloat16 with 0.7.0. Together
# with int16, int32 or float16, which 0.6.0 refuses, 0.7.0 gives float32, float64 and float32. The class of such a dtype is
# NumPy's own before and one of the module `ml_dtypes` after, so code that knows a dtype by the module of its class misses it.
#
# Output seen: 0.6.0: ['float32', 'refused', 'refused', 'refused', 'numpy'], 0.7.0: ['bfloat16', 'float32', 'float64',
# 'float32', 'ml_dtypes']
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/env"
seen() {
    "$folder/env/bin/python" -m pip --disable-pip-version-check --quiet install numpy==2.4.6 "ml_dtypes==$1"
    "$folder/env/bin/python" - <<'PROGRAM'
import ml_dtypes
import numpy as np

bfloat16 = np.dtype(ml_dtypes.bfloat16)


def joined(other):
    try:
        return np.promote_types(bfloat16, other).name
    except TypeError:
        return "refused"


weak = (np.ones(2, bfloat16) + 1.0).dtype.name
print([weak, *map(joined, ("int16", "int32", "float16")), type(bfloat16).__module__.partition(".")[0]])
PROGRAM
}
before=$(seen 0.6.0) after=$(seen 0.7.0)
echo "0.6.0: $before, 0.7.0: $after"
[ "$before" = "['float32', 'refused', 'refused', 'refused', 'numpy']" ]
[ "$after" = "['bfloat16', 'float32', 'float64', 'float32', 'ml_dtypes']" ]
