# What an agent or a step of the recorded workflows does: it tells effects.txt that it begins, takes its time, and answers.
# sh work.sh NAME [ANSWER]. With BREAKS_ONCE set, whatever has not failed before fails.
cat > /dev/null
echo "$1 $TROUPE_IDEMPOTENCY_KEY" >> effects.txt
sleep 0.05
if [ -n "$BREAKS_ONCE" ] && [ -z "$TROUPE_PREVIOUS_ERROR" ]; then
  echo "$1 breaks at first" >&2
  exit 3
fi
printf '%s\n' "${2:-$1 is done}"
