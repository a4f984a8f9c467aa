#!/bin/sh
# The pipeline in a project that is made for it, with answers that are played.
#   sh examples/feature-pipeline/try.sh
set -eu

troupe="${TROUPE:-node $(pwd)/bin/troupe.js}"
example="$(cd "$(dirname "$0")" && pwd)"
project=.troupe/feature-pipeline

rm -rf "$project"
mkdir -p "$project"
cp -R "$example/sample/." "$project"
cd "$project"

git init -q
printf '.troupe/\n' > .gitignore
git add -A
git -c user.name=Example -c user.email=example@localhost commit -q -m "A shop"

$troupe run "$example/feature-pipeline.yaml" "A discount code TEN takes ten percent off" \
  --cassette "$example/answers.yaml" "$@"
