#!/bin/sh
# The workflow in a project that is made for it, with answers that are played. Options are passed on:
#   sh examples/feature-development/try.sh --approve all
set -eu

troupe="${TROUPE:-node $(pwd)/bin/troupe.js}"
example="$(cd "$(dirname "$0")" && pwd)"
project=.troupe/feature-development

rm -rf "$project"
mkdir -p "$project"
cp -R "$example/sample/." "$project"
cd "$project"

git init -q
printf '.troupe/\n' > .gitignore
git add -A
git -c user.name=Example -c user.email=example@localhost commit -q -m "The news"

$troupe run "$example/feature-development.${FORM:-json}" "Readers can switch to a dark mode" \
  --cassette "$example/answers.yaml" "$@"
