# Completion of catchlens for bash:   source <(catchlens completion bash)
_catchlens() {
  local IFS=$'\n'
  COMPREPLY=($(catchlens complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _catchlens catchlens
