#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The array script on a real Slurm (munged, slurmctld, slurmd) that is set up on this machine for the test alone.
#   slurm_test.sh ASSAY          exit 77: skipped, with the reason
set -euo pipefail
assay=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
skip() {
  echo "skipped: $1"
  exit 77
}
for program in munged slurmctld slurmd sbatch squeue; do
  PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || skip "$program is not installed (Debian packages slurm-wlm, munge)"
done
[ "$(id -u)" = 0 ] || skip "slurmd wants to be root"
pgrep -x slurmctld >/dev/null && skip "a Slurm runs on this machine already"
PATH=$PATH:/usr/sbin:/sbin

folder=$(mktemp -d)
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
chmod 755 "$folder"
mkdir -p "$folder/munge" "$folder/state" "$folder/spool"
chmod 700 "$folder/munge"
dd if=/dev/urandom of="$folder/munge/key" bs=1024 count=1 status=none
chmod 600 "$folder/munge/key"
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" &
pids+=($!)
host=$(hostname -s)
cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$((20000 + RANDOM % 10000))
SlurmdPort=$((30000 + RANDOM % 10000))
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
sed -i '/^CryptoType/d' "$folder/slurm.conf"
export SLURM_CONF="$folder/slurm.conf"
for _ in $(seq 100); do [ -S "$folder/munge.socket" ] && break; sleep 0.1; done
slurmctld -D -f "$SLURM_CONF" >"$folder/slurmctld.log" 2>&1 &
pids+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >"$folder/slurmd.log" 2>&1 &
pids+=($!)
ready=
for _ in $(seq 300); do
  sinfo -h -o %T 2>/dev/null | grep -q idle && ready=1 && break
  sleep 0.2
done
if [ -z "$ready" ]; then
  tail -n 20 "$folder/slurmctld.log" "$folder/slurmd.log"
  skip "this Slurm does not become ready here"
fi

mkdir -p "$folder/work/cases"
cat >"$folder/work/cases/relu.json" <<'CASE'
{"name": "relu",
 "model": {"graph": {"opset": 13, "inputs": {"x": {"type": "float32", "shape": [4]}},
   "nodes": [{"op": "Relu", "inputs": ["x"], "outputs": ["y"]}],
   "outputs": {"y": {"type": "float32", "shape": [4]}}}},
 "inputs": {"x": {"values": [-1, 2, -3, 4]}},
 "matrix": {"quantizer.format": "none", "runtime.isa": ["scalar", "sse41", "avx2"], "runtime.optimization": ["none", "all"]},
 "expect": [{"metric": "exact"}]}
CASE
cd "$folder/work"
env -u SLURM_ARRAY_TASK_ID ASSAY="$assay" "$assay" run cases -o "$folder/whole" >/dev/null
ASSAY="$assay" "$root/scripts/ci-examples/slurm-array.sh" 3 "$folder/out" cases >"$folder/job"
job=$(tail -n 1 "$folder/job")
for _ in $(seq 600); do
  state=$(scontrol show job "$job" 2>/dev/null | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p' | head -n 1)
  case $state in COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL) break ;; esac
  sleep 0.2
done
if [ "$state" != COMPLETED ]; then
  echo "the joining job ended as '$state'"
  tail -n 20 "$folder"/out/*.log "$folder"/slurm*.log
  exit 1
fi
/usr/bin/python3 - "$folder/whole/results.json" "$folder/out/merged/results.json" <<'CHECK'
import json
import sys

whole, merged = (json.load(open(path)) for path in sys.argv[1:])
names = [sorted((r["name"], r["outcome"]) for r in run["results"]) for run in (whole, merged)]
assert len(names[0]) == 6 and names[0] == names[1], names
shards = {r["shard"] for r in merged["results"]}
assert shards == {1, 2, 3} and len(merged["merged_from"]) == 3, shards
print(f"{len(names[0])} variants in {len(shards)} tasks of a Slurm array, joined by a dependent job")
CHECK
