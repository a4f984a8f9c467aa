import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { resumeOnMachine } from "../../src/app/run/resume-run.ts";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { toHead } from "../../src/fold/head.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import { claim, RULES } from "../../src/testing/journal-case.ts";

// Runs as earlier versions wrote them; recorded/record-run.ts records another.
const DIRECTORY = new URL("./recorded/", import.meta.url);
const files = readdirSync(DIRECTORY).filter((name) => name.endsWith(".json"));

interface Recorded {
  readonly run: string;
  readonly definition: string;
  readonly events: readonly JournalEvent[];
}

const recordedSchema: z.ZodType<Recorded> = z.object({
  run: z.string(),
  definition: z.string(),
  events: z.array(z.custom<JournalEvent>()),
});

test("there is a recorded run", () => {
  expect(files).not.toEqual([]);
});

test.each(files)("%s folds to what it came to [P3, ENG-16]", (file) => {
  const { run, events } = read(file);
  expect(toHead(foldAll(run, events), 8)).toMatchObject({
    run,
    workflow: "crash",
    state: "completed",
    outcome: "completed",
    steps: { done: 8, total: 8 },
    agents: 5,
    needs: 0,
    exitCode: 0,
    lastSeq: events.length,
  });
});

test.each(files)(
  "%s replays to the same result without doing anything again [P3, ENG-16]",
  async (file) => {
    const recorded = read(file);
    const { events } = recorded;
    const { result, added } = await resumeAfter(recorded, events.slice(0, -1));
    expect(result).toMatchObject(withoutTime(events.at(-1)));
    expect(added.map(({ type }) => type)).toEqual(["run-resumed", "run-ended"]);
  },
);

test.each(files)(
  "%s goes on from before its last step to the same end [P3, ENG-16]",
  async (file) => {
    const recorded = read(file);
    const { events } = recorded;
    const cut = events.findIndex(
      (event) => event.type === "operation-scheduled" && event.op === "report/turn#1",
    );
    const { result, added } = await resumeAfter(recorded, events.slice(0, cut + 1));
    const { output, success } = withoutTime(events.at(-1));
    expect(result).toMatchObject({ output, success });
    expect(added.filter(({ type }) => type === "turn-started")).toHaveLength(1);
  },
);

function read(file: string): Recorded {
  return recordedSchema.parse(JSON.parse(readFileSync(new URL(file, DIRECTORY), "utf8")));
}

/** Puts the events into a journal in memory and resumes the run. */
async function resumeAfter({ run, definition }: Recorded, events: readonly JournalEvent[]) {
  const machine = createMachineAt({ store: "memory" });
  const journal = machine.store.create(run);
  journal.takeLease(claim({}), RULES);
  await journal.append({ epoch: 1, events, blobs: { [sha256(definition)]: definition } });
  journal.releaseLease(1);
  const thinker = () => {
    throw new Error("a completed step ran again");
  };
  const resumption = await resumeOnMachine(machine, run, {
    functions: new Map([["thinker", thinker]]),
  });
  if (resumption.status !== "resumed") throw new Error("the run is over");
  const result = await resumption.run.result;
  const added: JournalEvent[] = [];
  for await (const event of resumption.run.events) added.push(event);
  return { result, added };
}

const resultSchema = z.object({
  result: z.object({
    pattern: z.string(),
    success: z.boolean(),
    output: z.string(),
    agents: z.array(z.unknown()),
    metadata: z.record(z.string(), z.unknown()),
  }),
});

function withoutTime(event: JournalEvent | undefined): z.infer<typeof resultSchema>["result"] {
  return resultSchema.parse(event).result;
}
