import fc from "fast-check";

const given = process.env["TROUPE_PROPERTY_SEED"];

/**
 * What all random cases are made from. The same every time, so that a test fails because of a change and not by
 * chance: `npm run test:seeds` looks for what other seeds find, TROUPE_PROPERTY_SEED repeats one.
 */
export const propertySeed = given === undefined ? 1 : Number(given);

// Vitest loads this before the files of a suite.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: propertySeed });
