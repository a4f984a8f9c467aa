// Checks the module that is named. Prints each wrong result; exit code 1 if there is one.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [file = "price.mjs"] = process.argv.slice(2);
const { discounted } = await import(pathToFileURL(resolve(file)).href);
const checks = [
  { price: 100, percent: 25, expected: 75 },
  { price: 80, percent: 0, expected: 80 },
  { price: 10, percent: 150, expected: 0 },
  { price: 1.1, percent: 10, expected: 0.99 },
];
const wrong = checks.filter(
  ({ price, percent, expected }) => discounted(price, percent) !== expected,
);
for (const { price, percent, expected } of wrong)
  console.log(`${percent}% off ${price} is ${discounted(price, percent)}, expected ${expected}`);
console.log(`${checks.length - wrong.length} of ${checks.length} checks pass`);
process.exitCode = wrong.length === 0 ? 0 : 1;
