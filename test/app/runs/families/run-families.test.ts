import { expect, test } from "vitest";
import { inFamilies } from "../../../../src/app/runs/families/run-families.ts";
import type { RunListing } from "../../../../src/app/runs/run-heads.ts";
import { toHead } from "../../../../src/fold/head.ts";
import { emptyRunState } from "../../../../src/fold/state/run-state.ts";

function listing(run: string, given: Partial<RunListing> = {}): RunListing {
  return { ...toHead(emptyRunState(run)), owner: undefined, foreign: null, ...given };
}

test("children stand below their run, which needs and costs what they do together [ENG-12]", () => {
  const passedOn = { id: "apr_1", kind: "approval", text: "", step: null, agent: null } as const;
  const runs = [
    listing("run_new"),
    listing("run_leaf", { parent: "run_right", needs: 1, costUsd: 1 }),
    listing("run_right", {
      parent: "run_top",
      needs: 1,
      waitingFor: [{ ...passedOn, run: "run_leaf" }],
    }),
    listing("run_left", { parent: "run_top", costUsd: 2 }),
    // It was told of two things; one has been decided in its child since.
    listing("run_top", {
      needs: 2,
      waitingFor: [
        { ...passedOn, run: "run_leaf" },
        { ...passedOn, id: "apr_2", run: "run_left" },
      ],
    }),
    listing("run_orphan", { parent: "run_gone" }),
  ];
  expect(
    inFamilies(runs).map(({ run, root, depth, needs, costUsd }) => [
      run,
      root,
      depth,
      needs,
      costUsd,
    ]),
  ).toEqual([
    ["run_new", "run_new", 0, 0, null],
    ["run_top", "run_top", 0, 1, 3],
    ["run_left", "run_top", 1, 0, 2],
    ["run_right", "run_top", 1, 1, 1],
    ["run_leaf", "run_top", 2, 1, 1],
    ["run_orphan", "run_orphan", 0, 0, null],
  ]);
});
