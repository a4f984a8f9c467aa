#!/bin/sh
# The repair in a repository that is made for it, with answers that are played.
#   sh examples/repair/try.sh
set -eu

troupe="${TROUPE:-node $(pwd)/bin/troupe.js}"
examples="$(cd "$(dirname "$0")/.." && pwd)"
sample=.troupe/repair

rm -rf "$sample"
mkdir -p "$sample/src" "$sample/test"
cd "$sample"

git init -q -b main
printf '%s\n' '/** The sum of numbers. */' 'export function sum(numbers) {' \
  '  return numbers.reduce((before, number) => before * number);' '}' > src/sum.mjs
printf '%s\n' 'import assert from "node:assert/strict";' 'import test from "node:test";' \
  'import { sum } from "../src/sum.mjs";' '' 'test("adds", () => assert.equal(sum([2, 3]), 5));' \
  'test("nothing is 0", () => assert.equal(sum([]), 0));' > test/sum.test.mjs
git add -A
git -c user.name=Example -c user.email=example@localhost commit -q -m "A sum"

$troupe run "$examples/repair/repair.yaml" -i "check=node --test" --cassette "$examples/repair/answers.yaml" "$@"
