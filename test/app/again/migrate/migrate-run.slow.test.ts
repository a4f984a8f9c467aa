import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCurrentFile, migrateRun } from "../../../../src/app/again/migrate/migrate-run.ts";
import type { Machine } from "../../../../src/app/machine/machine.ts";
import { resumeOnMachine } from "../../../../src/app/run/resume-run.ts";
import { startRun } from "../../../../src/app/run/start-run.ts";
import { inspectRun } from "../../../../src/app/runs/run-lookup.ts";
import { loadFile } from "../../../../src/app/workflow/load-file.ts";
import { sha256 } from "../../../../src/foundation/hash.ts";
import { createFileMachine } from "../../file-machine.ts";

type FileMachine = ReturnType<typeof createFileMachine>;

function workflow(steps: readonly string[], pattern = "dag"): string {
  return [
    'version: "1.0"',
    "name: growing",
    `pattern: ${pattern}`,
    "agents:",
    '  - { id: sh, backend: command, command: ["sh", "-c", "echo did $TROUPE_STEP; test -e go-$TROUPE_STEP"] }',
    "steps:",
    ...steps.map((step) => `  - ${step}`),
    "errorHandling: { onFailure: pause }",
    "",
  ].join("\n");
}

const FIRST = "{ id: first, agent: sh, prompt: one }";
const SECOND =
  '{ id: second, agent: sh, prompt: "two {{steps.first.output}}", dependsOn: [first] }';
const THIRD = '{ id: third, agent: sh, prompt: "three", dependsOn: [second] }';

/** A run whose second step has failed and waits for a person. */
async function pausedRun(machine: FileMachine, pattern?: string): Promise<string> {
  const source = write(machine, workflow([FIRST, SECOND], pattern));
  writeFileSync(join(machine.root, "go-first"), "");
  const { definition } = await loadFile(machine, { file: join(machine.root, "w.yaml") });
  if (definition === undefined) throw new Error("the workflow is wrong");
  const options = { file: "w.yaml", fileHash: sha256(source), suspendsWhenWaiting: true };
  const run = await startRun(machine, definition, options);
  await run.parted;
  return run.id;
}

function write({ root }: FileMachine, source: string): string {
  writeFileSync(join(root, "w.yaml"), source);
  return source;
}

async function migrate(machine: Machine, run: string): Promise<boolean> {
  const current = await loadCurrentFile(machine, run);
  if (current.loaded.definition === undefined) throw new Error("the workflow is wrong");
  return migrateRun(machine, current, current.loaded.definition);
}

async function resumeOnce(machine: Machine, run: string) {
  const resumption = await resumeOnMachine(machine, run, { suspendsWhenWaiting: true });
  if (resumption.status === "resumed") await resumption.run.parted;
  return inspectRun(machine, run);
}

test("a run goes on with a step that was added to its file, then and at every later resume [ENG-14, P4.file]", async () => {
  const machine = createFileMachine();
  const run = await pausedRun(machine);
  write(machine, workflow([FIRST, SECOND, THIRD]));
  expect(await migrate(machine, run)).toBe(true);
  expect(await migrate(machine, run)).toBe(false);
  writeFileSync(join(machine.root, "go-second"), "");
  const waiting = await resumeOnce(machine, run);
  expect(waiting.steps.byPath.get("second")).toMatchObject({ status: "completed" });
  expect(waiting.steps.byPath.get("third")).toMatchObject({ status: "failed" });
  writeFileSync(join(machine.root, "go-third"), "");
  const over = await resumeOnce(machine, run);
  expect(over.phase).toMatchObject({ status: "ended", outcome: "completed" });
});

test("without being told so, a run goes on with what it was started with [ENG-14, P4.file]", async () => {
  const machine = createFileMachine();
  const run = await pausedRun(machine);
  write(machine, workflow([FIRST, SECOND, THIRD]));
  writeFileSync(join(machine.root, "go-second"), "");
  const over = await resumeOnce(machine, run);
  expect(over.phase).toMatchObject({ status: "ended", outcome: "completed" });
  expect([...over.steps.byPath.keys()]).toEqual(["first", "second"]);
});

test("a file that changes what was done is refused with the first difference, and nothing is written [ENG-14, P4.file]", async () => {
  const machine = createFileMachine();
  const run = await pausedRun(machine);
  const { lastSeq } = inspectRun(machine, run);
  for (const steps of [
    ["{ id: first, agent: sh, prompt: other }", SECOND],
    [FIRST, '{ id: second, agent: sh, prompt: "other", dependsOn: [first] }'],
    [FIRST, SECOND, "{ id: beside, agent: sh, prompt: three }"],
    [SECOND.replace(", dependsOn: [first]", "").replace("{{steps.first.output}}", "")],
  ]) {
    write(machine, workflow(steps));
    await expect(migrate(machine, run)).rejects.toMatchObject({
      code: "ENGINE_MIGRATION_MISMATCH",
      details: { run, file: "w.yaml", seq: expect.any(Number) },
    });
  }
  write(machine, workflow([FIRST, SECOND], "pipeline"));
  await expect(migrate(machine, run)).rejects.toMatchObject({ code: "ENGINE_MIGRATION_MISMATCH" });
  expect(inspectRun(machine, run).lastSeq).toBe(lastSeq);
});

test("a run that was started without a file has none to change to [ENG-14]", async () => {
  const machine = createFileMachine();
  write(machine, workflow([FIRST]));
  const { definition } = await loadFile(machine, { file: join(machine.root, "w.yaml") });
  if (definition === undefined) throw new Error("the workflow is wrong");
  const run = await startRun(machine, definition, { suspendsWhenWaiting: true });
  await run.parted;
  await expect(migrate(machine, run.id)).rejects.toMatchObject({ code: "RUN_WITHOUT_FILE" });
});

test("a run of an earlier format keeps it when its file changes, and goes on to its end [REP-6.file]", async () => {
  const machine = createFileMachine();
  const source = write(machine, workflow([FIRST, SECOND]));
  writeFileSync(join(machine.root, "go-first"), "");
  const { definition } = await loadFile(machine, { file: join(machine.root, "w.yaml") });
  if (definition === undefined) throw new Error("the workflow is wrong");
  const earlier = { ...definition, format: 1 } as const;
  const options = { file: "w.yaml", fileHash: sha256(source), suspendsWhenWaiting: true };
  const run = await startRun(machine, earlier, options);
  await run.parted;
  expect(await migrate(machine, run.id)).toBe(false);
  write(machine, workflow([FIRST, SECOND, THIRD]));
  expect(await migrate(machine, run.id)).toBe(true);
  const { recipe } = await loadCurrentFile(machine, run.id);
  expect(recipe.definition.format).toBe(1);
});
