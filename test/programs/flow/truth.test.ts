import { expect, test } from "vitest";
import { Truth } from "../../../src/programs/flow/step-engine.ts";

function failure(path: string) {
  return { path, error: { code: "TEST_FAILED", message: `${path} failed`, details: {} } };
}

test("the first failure that nothing handled is the one that is told [ENG-11]", () => {
  const truth = new Truth();
  expect(truth.first).toBeUndefined();
  truth.fail("a", undefined, failure("a"));
  truth.fail("b", undefined, failure("b"));
  expect(truth.first?.path).toBe("a");
  truth.handle("a");
  expect(truth.first?.path).toBe("b");
  truth.succeed("b");
  expect(truth.first).toBeUndefined();
});

test("a later success of the same step makes up for its failure, a later failure opens it again [ENG-11, STP-7]", () => {
  const truth = new Truth();
  truth.fail("a", undefined, failure("a"));
  truth.succeed("a");
  truth.fail("a", undefined, failure("a"));
  expect(truth.first?.path).toBe("a");
  truth.handle("a");
  truth.fail("a", undefined, failure("a"));
  expect(truth.first?.path).toBe("a");
});

test("whoever handles a step handles all that failed inside of it, however deep [ENG-11, STP-7]", () => {
  const truth = new Truth();
  truth.fail("all/0/checks/unit", "all/0/checks", failure("all[0]/checks/unit"));
  truth.fail("all/0/checks", "all", failure("all[0]/checks"));
  truth.fail("other/x", "other", failure("other/x"));
  truth.fail("all", undefined, failure("all"));
  truth.handle("all");
  expect(truth.first?.path).toBe("other/x");
  truth.handleBelow("other");
  expect(truth.first).toBeUndefined();
});
