import Bytes

/// The scripts for `--generate-completion-script`. They ask ``CompleteCommand`` for completions.
enum CompletionScript {
  static func text(for shell: CompletionShell) -> String {
    let names = (["llavero"] + ProgramLinks.all.filter { $0 != ProgramLinks.git }).joined(separator: " ")
    switch shell {
    case .bash: return bash + "complete -F _llavero \(names)\n"
    case .zsh: return "#compdef \(names)\n" + zsh.replacingPart("NAMES", with: names)
    case .fish:
      return fish + "for name in \(names)\n    complete -c $name -f -k -a '(__llavero_complete)'\nend\n"
    }
  }

  private static let bash = #"""
    # Completions of llavero for bash.

    _llavero() {
      local others reply index
      COMPREPLY=()
      # In the order of the answer. Bash before 4.4 sorts.
      compopt -o nosort 2>/dev/null
      {
        IFS= read -r others || return 0
        while IFS= read -r reply; do COMPREPLY+=("$reply"); done
      } < <(command llavero complete bash "$COMP_WORDBREAKS" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
      case $others in
      files) compopt -o default 2>/dev/null ;;
      folders) compopt -o dirnames 2>/dev/null ;;
      program)
        for ((index = 1; index < COMP_CWORD; index++)); do
          if [[ ${COMP_WORDS[index]} == -- ]]; then
            if declare -F _command_offset >/dev/null; then _command_offset $((index + 1)); fi
            break
          fi
        done
        ;;
      esac
      return 0
    }

    """#

  private static let zsh = #"""
    # Completions of llavero for zsh.

    _llavero() {
      local others
      local -i width=0 room=$(( COLUMNS > 40 ? COLUMNS - 1 : 79 )) skipped
      local -a lines candidates shown
      lines=("${(@f)$(command llavero complete zsh "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
      others=$lines[1]
      lines=("${(@)lines[2,-1]}")
      case $others in
      files)
        compset -P '*='
        _files
        ;;
      folders)
        compset -P '*='
        _files -/
        ;;
      program)
        skipped=${words[(i)--]}
        words=("${(@)words[skipped+1,-1]}")
        (( CURRENT -= skipped ))
        _normal
        ;;
      *)
        (( $#lines )) || return 1
        candidates=("${(@)lines%%$'\t'*}")
        local candidate line
        for candidate in $candidates; do
          if (( $#candidate > width )); then width=$#candidate; fi
        done
        for line in $lines; do
          if [[ $line == *$'\t'* ]]; then
            line="${(r:width:)${line%%$'\t'*}}  ${line#*$'\t'}"
            # What is wider than the terminal would take two lines.
            if (( $#line > room )); then line="${line[1,room-3]}..."; fi
          fi
          shown+=("$line")
        done
        # In the order of the answer.
        compadd -V llavero -l -d shown -a candidates
        ;;
      esac
    }

    if [[ $funcstack[1] == _llavero ]]; then
      _llavero "$@"
    else
      compdef _llavero NAMES
    fi

    """#

  private static let fish = #"""
    # Completions of llavero for fish.

    function __llavero_complete
        set -l token (commandline -ct)
        set -l words (commandline -opc) "$token"
        set -l lines (command llavero complete fish $words 2>/dev/null)
        test (count $lines) -gt 0; or return
        set -l option (string match -r '^--[^=]*=' -- "$token")
        set -l value (string replace -- "$option" '' "$token")
        switch $lines[1]
            case files
                for path in (__fish_complete_path "$value")
                    printf '%s%s\n' "$option" $path
                end
            case folders
                for path in (__fish_complete_directories "$value")
                    printf '%s%s\n' "$option" $path
                end
            case program
                __fish_complete_subcommand --fcs-skip=(contains -i -- -- $words)
        end
        if test (count $lines) -gt 1
            printf '%s\n' $lines[2..-1]
        end
    end


    """#
}
