import { expect, test } from "vitest";
import { familyOf, inFamilies } from "../../../../src/app/runs/families/run-families.ts";
import type { RunListing } from "../../../../src/app/runs/run-heads.ts";
import type { RunStore } from "../../../../src/contracts/ports/store.ts";
import { fold } from "../../../../src/fold/fold.ts";
import { toHead } from "../../../../src/fold/head.ts";
import { emptyRunState } from "../../../../src/fold/state/run-state.ts";
import { createFileMachine, recordedRun, writeRun } from "../../file-machine.ts";

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

test("below a run that has started none no other run is opened, and else each that belongs to it is found [CLI-1]", async () => {
  const machine = createFileMachine();
  for (const run of ["run_other", "run_top"]) await writeRun(machine, recordedRun(run));
  const opened: string[] = [];
  const store: RunStore = {
    ...machine.store,
    open: (run, mode) => {
      opened.push(run);
      return machine.store.open(run, mode);
    },
  };
  const state = emptyRunState("run_top");
  expect([familyOf(store, state), opened]).toEqual([["run_top"], []]);
  const [created, ...events] = recordedRun("run_child").events;
  if (created?.type !== "run-created") throw new Error("a run begins otherwise");
  const child = { ...created, parent: { run: "run_top", op: "op_1" } };
  await writeRun(machine, { ...recordedRun("run_child"), events: [child, ...events] });
  fold(state, {
    ...{ type: "child-started", op: "op_1", child: "run_child", workflow: "below" },
    ...{ seq: 1, at: 1 },
  });
  expect(familyOf(store, state)).toEqual(["run_top", "run_child"]);
});
