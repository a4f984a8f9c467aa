#!/bin/sh
# The review on a branch that is made for it, with answers that are played.
#   sh examples/review-branch/try.sh
set -eu

troupe="${TROUPE:-node $(pwd)/bin/troupe.js}"
examples="$(cd "$(dirname "$0")/.." && pwd)"
branch=.troupe/review-branch

rm -rf "$branch"
mkdir -p "$branch"
cd "$branch"

git init -q -b main
commit() {
  git add -A
  git -c user.name=Example -c user.email=example@localhost commit -q -m "$1"
}
printf '%s\n' '/** The price to pay. */' 'export function discounted(price) {' '  return price;' '}' > price.mjs
commit "Prices as they are"
git switch -q -c discounts
printf '%s\n' '/** The price after a discount in percent. */' 'export function discounted(price, percent) {' \
  '  return price - (price * percent) / 100;' '}' > price.mjs
commit "Discounts in percent"

$troupe run "$examples/review-branch/review-branch.yaml" --cassette "$examples/review-branch/answers.yaml" "$@"
