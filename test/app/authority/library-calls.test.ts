import { expect, test } from "vitest";
import { LIBRARY_CALLS } from "../../../src/app/authority/library-calls.ts";
import * as library from "../../../src/index.ts";

test("every function of the library says who may call it [SEC-3.declared]", () => {
  const functions = Object.entries(library).filter(
    // Errors and other classes are made, not called.
    ([name, value]) => typeof value === "function" && name !== "TroupeError",
  );
  expect(Object.keys(LIBRARY_CALLS)).toEqual(functions.map(([name]) => name).sort());
});
