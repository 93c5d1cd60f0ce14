#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A run as a Slurm array, and a job that joins its shards once all have ended:
#
#   scripts/ci-examples/slurm-array.sh SHARDS OUTPUT_FOLDER PATH...
#
# PATH...: as for `assay run`. ASSAY names the program, DURATIONS the durations.json (or output folder) of an earlier
# run, SBATCH_FLAGS what sbatch is to get besides. The reports are in OUTPUT_FOLDER/merged; the exit code of the joining
# job is the verdict. Prints the number of that job.
set -euo pipefail
if [ $# -lt 3 ]; then
  echo "usage: $0 SHARDS OUTPUT_FOLDER PATH..." >&2
  exit 2
fi
shards=$1
out=$2
shift 2
mkdir -p "$out"
out=$(cd "$out" && pwd)
export ASSAY=${ASSAY:-assay} DURATIONS=${DURATIONS:-}
read -ra flags <<<"${SBATCH_FLAGS:-}"

# Each task takes its shard from SLURM_ARRAY_TASK_ID and _COUNT. A task that fails must not keep the others from being
# judged: the verdict is the joining job's.
array=$(sbatch --parsable "${flags[@]}" --job-name=assay --array="1-$shards" --output="$out/shard-%a.log" <<SCRIPT
#!/usr/bin/env bash
cd $(printf '%q' "$PWD")
"\$ASSAY" run $(printf '%q ' "$@") \${DURATIONS:+--durations "\$DURATIONS"} -o $(printf '%q' "$out")/shard-"\$SLURM_ARRAY_TASK_ID"
code=\$?
[ "\$code" -le 3 ] && exit 0
exit "\$code"
SCRIPT
)
sbatch --parsable "${flags[@]}" --job-name=assay-merge --dependency="afterany:$array" --output="$out/merge.log" <<SCRIPT
#!/usr/bin/env bash
exec "\$ASSAY" merge $(for i in $(seq "$shards"); do printf '%q ' "$out/shard-$i"; done) -o $(printf '%q' "$out/merged")
SCRIPT
