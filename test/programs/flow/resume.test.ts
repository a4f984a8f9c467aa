import { expect, test } from "vitest";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { resumeSteps, runSteps } from "./steps-run.ts";

test("what agents are given has its keys in the same order after a crash, in whatever order code wrote them [ENG-2, ENG-3]", async () => {
  const store = createCuttableStore();
  const functions = { echo: ({ task }: { readonly task: string }) => task };
  const whole = await runSteps(
    {
      agents: [{ id: "echo", backend: "function" }],
      initialContext: { zeta: { y: 1, x: 2 }, alpha: 1 },
      steps: [
        { id: "second", type: "agent", settings: { agent: "echo" }, routes: { next: "first" } },
        { id: "first", type: "agent", settings: { agent: "echo" } },
      ],
    },
    { store, functions, input: { b: 1, a: 2 } },
  );
  expect(whole.outcome).toBe("completed");
  for (const seq of store.commits(whole.id).slice(0, -1)) {
    const cut = await store.cutAfter(whole.id, seq);
    const resumed = await resumeSteps(whole.id, { store: cut, functions });
    expect(JSON.stringify(resumed.flow), `after event ${seq}`).toBe(JSON.stringify(whole.flow));
  }
});
