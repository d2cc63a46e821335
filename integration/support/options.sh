# shellcheck shell=bash
# How scripts say what is wrong, and how they read their options.

say() {
  printf '%s\n' "${@/#/${0##*/}: }" >&2
}

wrong_usage() {
  say "$1" "hint: integration/${0##*/} --help"
  exit 64
}

cannot() {
  say "$@"
  exit 2
}

# read_options VALUES FLAGS COUNT WORD...: sets the variable output for `--output FOLDER` or `--output=FOLDER`, if VALUES names
# output, and file_only to 1 for `--file-only`, if FLAGS names that; and operands to the other words, at most so many
read_options() {
  local values=" $1 " flags=" $2 " count=$3 name
  shift 3
  operands=()
  while (($# > 0)); do
    name=${1#--}
    name=${name%%=*}
    name=${name:-none}
    if [[ $1 == -h || $1 == --help ]]; then
      usage
      exit
    elif [[ $1 == --*=?* && $values == *" $name "* ]]; then
      printf -v "${name//-/_}" %s "${1#*=}"
    elif [[ $1 == --"$name"?(=) && $values == *" $name "* ]]; then
      [[ $1 != *= && -n ${2:-} ]] || wrong_usage "--$name needs a value"
      printf -v "${name//-/_}" %s "$2"
      shift
    elif [[ $1 == "--$name" && $flags == *" $name "* ]]; then
      printf -v "${name//-/_}" 1
    elif [[ $1 == -* ]] || ((${#operands[@]} == count)); then
      wrong_usage "unknown option or operand: $1"
    else
      operands+=("$1")
    fi
    shift
  done
}
