# A leader without tools, and its workers.
case "$TROUPE_AGENT" in
  lead)
    if grep -q "There are no tasks" "$TROUPE_TASK_FILE"; then
      printf -- "- [ ] count the files\n- [ ] name the largest (after: #1)\n" | sh work.sh planned "$(printf -- "- [ ] count the files\n- [ ] name the largest (after: #1)")"
    else exec sh work.sh led "DONE: counted and named"; fi ;;
  *) exec sh work.sh worked "DONE: $TROUPE_AGENT did it" ;;
esac
