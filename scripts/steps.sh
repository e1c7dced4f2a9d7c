# Sourced by scripts that consist of steps:
#
#   step NAME COMMAND...    runs it, says how long it took, and remembers failure
#   require                 ends the script if a step has failed by now
#   finish                  one line for each step; exit 1 if one of them failed
#
# A step that fails does not keep the next ones from running.

declare -a step_rows=()
step_failed=0

step() {
  local name=$1 start=$SECONDS code=0
  shift
  printf '\n==> %s\n' "$name"
  # In a subshell of its own with -e: inside `if` or `||` bash would ignore it.
  set +e
  (set -e; "$@")
  code=$?
  set -e
  if [ $code -eq 0 ]; then
    step_rows+=("$(printf '%-34s ok      %4d s' "$name" $((SECONDS - start)))")
  else
    step_rows+=("$(printf '%-34s FAILED  %4d s  (exit %d)' "$name" $((SECONDS - start)) $code)")
    step_failed=1
  fi
}

require() { [ $step_failed = 0 ] || finish; }

finish() {
  printf '\n%s\n' "steps:"
  printf '  %s\n' "${step_rows[@]}"
  exit $step_failed
}
