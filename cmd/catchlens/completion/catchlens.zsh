#compdef catchlens
# Completion of catchlens for zsh, after compinit:   source <(catchlens completion zsh)
_catchlens() {
  local -a found
  found=("${(@f)$(catchlens complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $found[1] ]]; then
    compadd -a found
  else
    _files
  fi
}
compdef _catchlens catchlens
