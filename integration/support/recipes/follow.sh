# shellcheck shell=bash
# Does what `llavero help TOOL` tells people to type.

# follow NAME [SED-EXPRESSION...]: does what the recipe says, with the secret for whoever asks for one, and other hosts
# and folders in the place of those in the text
follow() {
  local expression
  llavero help "$1" | python3 "$SUPPORT/recipes/recipe.py" >"$CASE/recipe"
  grep -q . "$CASE/recipe" || fail "llavero help $1 has no commands"
  for expression in "${@:2}"; do
    sed "$expression" "$CASE/recipe" >"$CASE/changed"
    if cmp -s "$CASE/recipe" "$CASE/changed"; then fail "the recipe has nothing for $expression" "$(<"$CASE/recipe")"; fi
    mv "$CASE/changed" "$CASE/recipe"
  done
  {
    echo 'set -eu'
    # Nobody is there to be asked whether to write it.
    echo 'llavero() { if [ "$1" = setup ]; then set -- "$@" --yes; fi; command llavero "$@"; }'
    cat "$CASE/recipe"
  } >"$CASE/script"
  run ${within[@]+"${within[@]}"} bash "$CASE/script" < <(printf '%s' "${asked:-$SECRET}")
  ((status == 0)) || fail "the recipe failed" "$(cat "$CASE/script")" "$(said)"
  if grep -qF "$SECRET" "$CASE/stdout" "$CASE/stderr"; then fail "the secret is shown" "$(said)"; fi
}

# shows TEXT: the last recipe printed it
shows() {
  grep -qF -- "$1" "$CASE/stdout" || fail "it doesn't show: $1" "$(said)"
}
