import fc from "fast-check";

// The same random cases every time, so that a test fails because of a change and not by chance: `npm run prove` looks for
// what other seeds find, TROUPE_PROPERTY_SEED repeats one.
const seed = Number(process.env["TROUPE_PROPERTY_SEED"] ?? 1);
if (!Number.isInteger(seed)) throw new Error("TROUPE_PROPERTY_SEED is no whole number");

// Vitest loads this before the files of a suite.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
