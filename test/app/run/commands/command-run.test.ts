import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commandRun } from "../../../../src/app/run/commands/command-run.ts";
import type { RunCommand } from "../../../../src/contracts/events/run-events.ts";
import type { RunStore } from "../../../../src/contracts/ports/store.ts";
import { startControlServer } from "../../../../src/control/server.ts";
import { TroupeError } from "../../../../src/foundation/errors.ts";
import { claim, RULES } from "../../../../src/testing/journal-case.ts";
import { createFileMachine, recordedRun, writeRun } from "../../file-machine.ts";

test("a command to a run that is named by its whole id looks at its journal for its owner, and at nothing else [ENG-19]", async () => {
  const machine = createFileMachine();
  for (const run of ["run_aaaaaa", "run_bbbbbb"]) await writeRun(machine, recordedRun(run, 20));
  const path = join(machine.root, "owner.sock");
  const journal = machine.store.open("run_aaaaaa", "write");
  journal.takeLease(claim({ socketPath: path }), RULES);
  journal.close();
  const taken: RunCommand[] = [];
  const server = await startControlServer({ path, run: "run_aaaaaa" }, async ({ command }) => {
    taken.push(command);
    return "taken";
  });
  onTestFinished(() => server.close());
  const looks: string[] = [];
  const store: RunStore = {
    ...machine.store,
    open: (run, mode) => {
      looks.push(`${mode} ${run}`);
      return machine.store.open(run, mode);
    },
    list: () => {
      looks.push("list");
      return machine.store.list();
    },
  };
  const watched = { ...machine, store, isGone: () => false };
  const command: RunCommand = { kind: "send", text: "what was found", key: "one" };
  expect(await commandRun(watched, "run_aaaaaa", { command })).toEqual({
    status: "done",
    run: "run_aaaaaa",
    result: "taken",
  });
  expect(taken).toEqual([command]);
  expect(looks).toEqual(["read run_aaaaaa", "read run_aaaaaa"]);
});

test("nothing can be cut off in a run that nobody carries out, and nothing is recorded for later [CHAT-2]", async () => {
  const machine = createFileMachine();
  const recorded = recordedRun("run_aaaaaa", 20);
  await writeRun(machine, recorded);
  const codeOf = (agent: string) =>
    commandRun(machine, "run_aaaaaa", { command: { kind: "interrupt", agent } }).then(
      () => "taken",
      (error: unknown) => (error instanceof TroupeError ? error.code : error),
    );
  const [agent = ""] = recorded.events.flatMap((event) =>
    event.type === "agent-spawned" ? [event.agent] : [],
  );
  expect([await codeOf(agent), await codeOf("nobody")]).toEqual([
    "RUN_NOT_RUNNING",
    "AGENT_UNKNOWN",
  ]);
});
