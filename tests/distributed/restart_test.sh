#!/usr/bin/env bash
# A job that loses a rank in the middle of a factorisation ends soon, and goes on from its last checkpoint on another
# number of ranks, to the same bits. A checkpoint that is damaged, or of another call, is refused by name.
#   restart_test.sh SCRATCH_DIR MPIEXEC_WITH_NUMPROC_FLAG… -- PROGRAM
set -uo pipefail
scratch=$1
shift
mpiexec=()
while [ "$1" != -- ]; do mpiexec+=("$1"); shift; done
program=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

failures=0
fail() { echo "restart_test: $1"; cat log.txt; failures=$((failures + 1)); }
# run RANKS ROUTINE FOLDER OUTPUT [NAME=VALUE …]: what is printed is in log.txt.
run() {
  local ranks=$1
  shift
  # One rank needs no mpirun, which takes its time where a program fails.
  if [ "$ranks" -eq 1 ]; then mpirun=(); else mpirun=("${mpiexec[@]}" "$ranks"); fi
  timeout 30 "${mpirun[@]}" "$program" "$@" >log.txt 2>&1
}
# expect_refused MESSAGE NAME=VALUE…: the checkpoint in `folder` is not gone on from on one rank, and why is printed.
expect_refused() {
  local message=$1
  shift
  run 1 "$routine" folder refused.out "$@"
  [ $? -eq 2 ] || fail "$routine does not throw where '$message' was expected"
  grep -qF -- "$message" log.txt || fail "$routine does not say '$message'"
  [ ! -e refused.out ] || fail "$routine has written a result"
}

# flip FILE PLACE: another bit in that byte.
flip() { printf "\\x$(printf %02x $(($(od -An -tu1 -j "$2" -N1 "$1") ^ 4)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>dd.txt; }
# What is wrong with the checkpoint in $last, of which there is a copy in kept/.
refuse_others() {
  # Of another call.
  expect_refused "$last/COMMIT: is of a matrix with other elements" seed=1
  expect_refused "$last/COMMIT: is of 'potrf of dd" block=7

  # Damaged, in the elements of a tile, its header, its checksum, the COMMIT; cut off; gone.
  for place in 100 20 $(($(stat -c %s "$last/tile-9-9") - 1)); do
    flip "$last/tile-9-9" "$place"
    expect_refused "$last/tile-9-9: is damaged: its checksum is"
    cp kept/"${last#*/}"/tile-9-9 "$last"
  done
  flip "$last/COMMIT" 30
  expect_refused "$last/COMMIT: is damaged"
  cp kept/"${last#*/}"/COMMIT "$last"
  truncate -s -1 "$last/tile-12-10"
  expect_refused "$last/tile-12-10: is shorter than a tile of this matrix"
  cp "$last/tile-11-10" "$last/tile-12-10"
  expect_refused "$last/tile-12-10: is another tile, or of another step"
  rm "$last/tile-12-10"
  expect_refused "$last/tile-12-10: cannot be opened: No such file or directory"
  cp kept/"${last#*/}"/tile-12-10 "$last"
}
refuse_a_flip() {
  flip "$last/numbers" 80
  expect_refused "$last/numbers: is damaged: its checksum is"
  cp kept/"${last#*/}"/numbers "$last"
}

for routine in potrf getrf; do
  rm -rf folder
  run 1 $routine whole whole.out || fail "$routine is not done"
  all_tasks=$(sed -n 's/^tasks //p' log.txt)

  # Interrupted.
  begin=$(date +%s)
  run 2 $routine folder killed.out kill=4 && fail "$routine has ended well without a rank"
  [ $(($(date +%s) - begin)) -lt 15 ] || fail "$routine waits for a rank that is gone"
  grep -q 'signal 9 (Killed)' log.txt || fail "nobody says what happened to $routine"
  [ ! -e killed.out ] || fail "$routine was done before it was killed"
  last=$(ls -d folder/step-*/COMMIT | sed 's,/COMMIT,,' | sort -V | tail -1)
  cp -r folder kept

  if [ $routine = potrf ]; then refuse_others; else refuse_a_flip; fi

  # On another number of ranks, and a checkpoint that is not complete does not count.
  mkdir -p folder/step-12
  cp "$last"/tile-0-0 folder/step-12
  run 1 $routine folder restarted.out || fail "$routine does not go on"
  cmp whole.out restarted.out || fail "$routine has other bits than without an interruption"
  [ "$(sed -n 's/^tasks //p' log.txt)" -lt "$((all_tasks * 3 / 4))" ] || fail "$routine began anew"
  ls folder | grep -vqx -e step-12 -e LOCK && fail "$routine keeps old checkpoints: $(ls folder)"
  rm -rf folder kept whole ./*.out
done

# A rank that does not come.
run 2 potrf folder late.out limit=1 absent=1 && fail "potrf was done without a rank"
grep -qF 'hilo: potrf on rank 0 is not done after 1 s, its time limit: the job ends' log.txt || fail "no word of a time limit"
# A rank with one core has a worker where it is told to have one; devices may be left out.
unset STARPU_NCPU STARPU_NOPENCL STARPU_WORKERS_NOBIND
rm -rf folder
STARPU_WORKERS_GETBIND=1 taskset -c "$(taskset -pc $$ | sed 's/.*[ ,-]//')" "$program" potrf folder one.out >log.txt 2>&1
[ $? -eq 2 ] && grep -qF 'Cluster: rank 0: StarPU finds no worker' log.txt || fail "a rank without a worker does not say so"
STARPU_WORKERS_GETBIND=1 taskset -c "$(taskset -pc $$ | sed 's/.*[ ,-]//')" "$program" potrf folder one.out workers=1 \
  >log.txt 2>&1
grep -qx 'workers 1' log.txt || fail "a rank with one core has no worker"
rm -rf folder
STARPU_OPENCL_ON_CPUS=1 run 1 potrf folder one.out workers=1 devices=0
grep -qx 'devices 0' log.txt || fail "devices are not left out"

# Not a folder.
routine=potrf
rm -rf folder
touch folder
expect_refused "potrf: rank 0: "
expect_refused "folder"
[ "$failures" -eq 0 ]
