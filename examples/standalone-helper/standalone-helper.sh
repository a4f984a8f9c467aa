#!/bin/sh
# An agent of its own keeps the notes of an incident, in the background, while you do something else.
#   sh examples/standalone-helper/standalone-helper.sh
#     without a key: the cassette says what the agent says
#   SCRIBE="--backend NAME" sh examples/standalone-helper/standalone-helper.sh
#     with a backend that `node bin/troupe.js doctor` finds ready
set -eu

troupe="${TROUPE:-node bin/troupe.js}"
scribe="${SCRIBE:---cassette examples/standalone-helper/answers.yaml}"

# shellcheck disable=SC2086 # both are several words
$troupe new scribe --context --system-prompt examples/standalone-helper/scribe.md $scribe
trap '$troupe rm scribe' EXIT

# It waits in the daemon: any terminal can write to it. --wait prints the answer.
$troupe send @scribe "10:02 the shop answers 500" --wait
$troupe send @scribe "10:09 the disk of db-1 is full" --wait

$troupe list
$troupe peek scribe -n 4
$troupe ask @scribe "what happened?"

# What it wrote down stays when it is gone.
cat .troupe/context/scribe/scribe/notes.md
