# Completion of catchlens for fish:   catchlens completion fish | source
complete -c catchlens -a '(catchlens complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
