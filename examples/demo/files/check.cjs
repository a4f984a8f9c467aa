// Checks sum.cjs. Prints every wrong result and how many checks passed; exit code 1 if one did not.
const { sum } = require("./sum.cjs");

const checks = [
  { numbers: [], expected: 0 },
  { numbers: [1, 2, 3], expected: 6 },
  { numbers: [-1, -2], expected: -3 },
  { numbers: [5, -5], expected: 0 },
];
const wrong = checks.filter(({ numbers, expected }) => sum(numbers) !== expected);
for (const { numbers, expected } of wrong)
  console.log(`sum([${numbers}]) is ${sum(numbers)}, expected ${expected}`);
console.log(`${checks.length - wrong.length}/${checks.length} checks pass`);
process.exitCode = wrong.length === 0 ? 0 : 1;
