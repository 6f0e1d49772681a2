# Completion of `aqueduct` for bash. It knows no command itself: `aqueduct complete` says what may follow.
_aqueduct() {
  local current=${COMP_WORDS[COMP_CWORD]} line word
  local -a matches=()
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) mapfile -t matches < <(compgen -f -- "${current#=}") ;;
      :directories) mapfile -t matches < <(compgen -d -- "${current#=}") ;;
      :programs)
        case $current in
          '' | */*) mapfile -t matches < <(compgen -f -- "$current") ;;
          *) mapfile -t matches < <(compgen -c -- "$current" | sort -u) ;;
        esac
        ;;
      *)
        word=${line%%$'\t'*}
        COMPREPLY+=("$word")
        continue
        ;;
    esac
    compopt -o filenames 2>/dev/null  # a slash behind directories, and blanks quoted
    COMPREPLY+=("${matches[@]}")
  done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _aqueduct aqueduct
