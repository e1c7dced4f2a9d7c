# Sourced by scripts that consist of steps:
#
#   plan NAME               says which run this is: how long its steps take is kept under that name
#   step NAME COMMAND...    runs it, says how long it took, and remembers failure
#   require                 ends the script if a step has failed by now
#   finish                  one line for each step; exit 1 if one of them failed
#
# A step that fails does not keep the next ones from running. Each says before it begins, and every
# minute, how long it has left and how long all of them have: as long as they took in the last run on
# this machine, which build/durations keeps, or by the estimates in scripts/durations.txt. STEPS_AFTER
# names the plans that come after this one, for whoever waits for all.

declare -a step_rows=() step_kept=()
declare -A step_expected=()
step_failed=0
step_plan= step_after=0
step_estimates=scripts/durations.txt step_memory=build/durations step_every=60

# lines_of PLAN: "SECONDS NAME" of its steps, of the last run here or as they are estimated.
lines_of() {
  local file
  for file in "$step_memory" "$step_estimates"; do
    [ -f "$file" ] && grep -E "^$1 [0-9]+ " "$file" | cut -d ' ' -f 2- && return
  done
  return 0
}

plan() {
  local seconds name other
  step_plan=$1
  while read -r seconds name; do step_expected[$name]=$seconds; done < <(lines_of "$1")
  for other in ${STEPS_AFTER:-}; do
    while read -r seconds name; do step_after=$((step_after + seconds)); done < <(lines_of "$other")
  done
}

# span SECONDS: the same for people.
span() { if [ "$1" -lt 90 ]; then echo "$1 s"; else echo "$((($1 + 30) / 60)) min"; fi; }

# left SECONDS NAME: what this step, which runs for so long, and all steps have left.
left() {
  local all=$step_after own=$((${step_expected[$2]:-0} - $1)) name
  for name in "${!step_expected[@]}"; do
    [ "$name" = "$2" ] || all=$((all + ${step_expected[$name]}))
  done
  [ $own -gt 0 ] || own=0
  all=$((all + own))
  if [ -z "${step_expected[$2]:-}" ]; then
    echo "it is not known how long it takes; then $(span $all) left"
  elif [ $own = 0 ] && [ "$1" -gt 0 ]; then
    echo "longer than expected; then $(span $all) left"
  else
    echo "about $(span $own) left, $(span $all) in all"
  fi
}

# remind NAME: says what is left, again and again, until it is killed. It leaves no sleep behind.
remind() {
  local passed=0 before=${!:-}
  trap '[ "${!:-}" = "$before" ] || kill $! 2>/dev/null; exit 0' TERM
  while true; do
    sleep "$step_every" >/dev/null 2>&1 &
    wait $! && kill -0 $$ 2>/dev/null || return 0
    passed=$((passed + step_every))
    printf -- '--> %s, after %s: %s\n' "$1" "$(span $passed)" "$(left $passed "$1")"
  done
}

step() {
  local name=$1 start=$SECONDS code=0 reminder took
  shift
  printf '\n==> %s (%s)\n' "$name" "$(left 0 "$name")"
  remind "$name" &
  reminder=$!
  # In a subshell of its own with -e: inside `if` or `||` bash would ignore it.
  set +e
  (set -e; "$@")
  code=$?
  set -e
  kill "$reminder" 2>/dev/null || true
  wait "$reminder" 2>/dev/null || true
  took=$((SECONDS - start))
  if [ $code -eq 0 ]; then
    step_rows+=("$(printf '%-34s ok      %4d s' "$name" $took)")
    step_kept+=("$step_plan $took $name")
  else
    step_rows+=("$(printf '%-34s FAILED  %4d s  (exit %d)' "$name" $took $code)")
    step_failed=1
    [ -z "${step_expected[$name]:-}" ] || step_kept+=("$step_plan ${step_expected[$name]} $name")
  fi
  unset 'step_expected[$name]'
}

require() { [ $step_failed = 0 ] || finish; }

# keep_durations replaces what is known of this plan by what its steps took; of those that did not come
# to run, what was known stays. Where it cannot be written nothing is kept, and nothing else comes of it.
keep_durations() {
  local name
  [ -n "$step_plan" ] || return 0
  for name in "${!step_expected[@]}"; do step_kept+=("$step_plan ${step_expected[$name]} $name"); done
  mkdir -p "$(dirname "$step_memory")" || return 0
  {
    [ ! -f "$step_memory" ] || grep -vE "^$step_plan [0-9]+ " "$step_memory" || true
    [ ${#step_kept[@]} = 0 ] || printf '%s\n' "${step_kept[@]}"
  } >"$step_memory.$$" && mv -f "$step_memory.$$" "$step_memory" || rm -f "$step_memory.$$"
}

finish() {
  [ $step_failed = 1 ] || step_expected=() # what this plan no longer has
  keep_durations
  printf '\n%s\n' "steps:"
  printf '  %s\n' "${step_rows[@]}"
  exit $step_failed
}
