# What an agent, a step or a check of these workflows does: sh work.sh NAME [ANSWER [EXIT]]. It notes in the ledger that it begins, and in
# "told" what it reads; both lie beside the project, so that agents in worktrees share them. Told to stop at "NAME COUNT", it hangs there.
root=${PWD%%/project*}
told=$(cat)
count=$(($(grep -c "^$1 " "$root/ledger" 2> /dev/null) + 1))
echo "$1 $TROUPE_IDEMPOTENCY_KEY" >> "$root/ledger"
printf '== %s\n%s\n' "$1" "$told" >> "$root/told"
if [ "$(cat "$root/stop-at" 2> /dev/null)" = "$1 $count" ]; then
  echo $$ > "$root/reached"
  exec sleep 600
fi
printf '%s\n' "${2-$1 is done}"
exit "${3:-0}"
