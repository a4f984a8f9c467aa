import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import type { PatternDefinition } from "../../src/contracts/definition.ts";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import type { Json } from "../../src/foundation/json.ts";
import { loadWorkflow, runWorkflow } from "../../src/index.ts";
import { builtInPatterns } from "../../src/programs/patterns/registry.ts";
import {
  type PlayedCase,
  playWorkflow,
  runWorkflowInMemory,
  type TestWorkflow,
} from "../../src/testing/index.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-kit-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const agentSchema = z.looseObject({
  id: z.string(),
  backend: z.string().optional(),
  command: z.string().optional(),
});
const contentSchema = z.looseObject({
  pattern: z.string(),
  agents: z.array(agentSchema),
  steps: z.array(z.looseObject({ id: z.string() })).optional(),
});
type Content = z.infer<typeof contentSchema>;
type Turns = { readonly [agent: string]: Json };
const cassetteSchema = z.looseObject({ agents: z.record(z.string(), z.json()) });

const two: Turns = { a: [{ say: "DONE: one" }], b: [{ say: "DONE: two" }] };
const listed = (pattern: string, steps: Content["steps"]): [Content, Turns] => [
  { name: "test", pattern, agents: [{ id: "a" }, { id: "b" }], ...(steps && { steps }) },
  two,
];

/** Patterns that only order steps have no example of their own. */
const ORDERED: { readonly [pattern: string]: [Content, Turns] } = {
  "fan-out": listed("fan-out", undefined),
  pipeline: listed("pipeline", undefined),
  dag: listed("dag", [
    { id: "second", agent: "b", dependsOn: ["first"] },
    { id: "first", agent: "a" },
  ]),
};

// A program of the machine ends whenever it ends; what it would say is said by a script.
const OF_A_PROGRAM: Json = { repeat: "cycle", turns: [{ say: "VOTE: approve\nDONE: done" }] };

/** The example of a pattern, all of whose agents are scripted. */
function exampleOf(pattern: string): [Content, Turns] {
  const ordered = ORDERED[pattern];
  if (ordered !== undefined) return ordered;
  const read = (name: string): unknown =>
    parse(readFileSync(join(import.meta.dirname, "../../examples", pattern, name), "utf8"));
  const content = contentSchema.parse(read(`${pattern}.yaml`));
  const said = cassetteSchema.parse(read("answers.yaml")).agents;
  const agents = content.agents.map((agent) => {
    const {
      permissionMode: _mode,
      model: _model,
      backend: _backend,
      command: _,
      ...others
    } = agent;
    return others;
  });
  const programs = agents.filter(({ id }) => !(id in said)).map(({ id }) => [id, OF_A_PROGRAM]);
  return [
    { ...content, name: "test", agents },
    { ...Object.fromEntries(programs), ...said },
  ];
}

/** What a test would write of the workflow: all that its pattern has by default is left to the kit. */
function inKit({ pattern, agents, steps, options, mode }: PatternDefinition): TestWorkflow {
  return { pattern, agents, steps, options, ...(mode && { mode }) };
}

/** What happened, without what differs from one run to the next. */
function story(events: Iterable<JournalEvent>): readonly string[] {
  return [...events].flatMap((event) => {
    switch (event.type) {
      case "turn-started":
        return [`${event.agent} begins turn ${event.turn}: ${event.items.map(({ kind }) => kind)}`];
      case "turn-completed":
        return [`${event.agent} ends turn ${event.turn}`];
      case "signal-received":
        return [`${event.agent} signals ${event.signal.kind}, counted: ${event.counted}`];
      case "message-posted":
        return [`${event.from} to ${event.to ?? "all"}: ${event.text}`];
      case "pattern-advanced":
        return [`advance ${event.kind}`];
      case "step-completed":
      case "step-failed":
        return [`${event.type} ${event.path}`];
      case "run-ended":
        return [`ended ${event.outcome}: ${event.reason}`];
      default:
        return [];
    }
  });
}

test.each(builtInPatterns.map(({ name }) => name))(
  "the kit plays %s as a run of its file goes: the same turns, signals, messages and moves in the same order [SDK-15.patterns]",
  async (pattern) => {
    const [content, said] = exampleOf(pattern);
    const turns = unchecked(said);
    const task = "Speed up the search page";
    const answers = join(directory, "answers.json");
    const file = join(directory, "workflow.json");
    writeFileSync(answers, JSON.stringify({ version: 1, agents: turns }));
    writeFileSync(file, JSON.stringify(content));
    const [cwd, elsewhere] = ["real", "kit"].map((name) => join(directory, name));
    for (const path of [cwd, elsewhere]) mkdirSync(path ?? "");
    const here = { cwd: cwd ?? "", store: "memory" } as const;
    const loaded = await loadWorkflow(file, { ...here, cassette: answers });
    const run = runWorkflow(loaded, task, here);
    await run.parted;
    const events: JournalEvent[] = [];
    for await (const event of run.events) events.push(event);
    const real = story(events);

    const given = { cwd: elsewhere ?? "", task, turns };
    const tested = await runWorkflowInMemory(inKit(loaded.definition), given);
    expect(story(tested.events)).toEqual(real);
    expect(real.filter((line) => line.includes("begins turn"))).not.toEqual([]);

    const played = await playWorkflow(writtenSchema.parse(content), {
      task,
      agents: z.custom<NonNullable<PlayedCase["agents"]>>().parse(turns),
    });
    expect(story(played.events)).toEqual(real);
  },
);

const writtenSchema = z.record(z.string(), z.json());

/** The turns without what they expect to be told: all are given one task. */
function unchecked(turns: Turns): Turns {
  const text = JSON.stringify(turns, (key, value: unknown) =>
    key === "expect" ? undefined : value,
  );
  return writtenSchema.parse(JSON.parse(text));
}
