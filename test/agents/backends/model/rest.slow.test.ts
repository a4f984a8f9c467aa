import { expect, test } from "vitest";
import { sha256 } from "../../../../src/foundation/hash.ts";
import type { ScriptedCall, Step } from "../../../clients/model-server/script.ts";
import { scriptText } from "../../../clients/model-server/script.ts";
import { modelTurn } from "./model-turn.ts";
import "../../../one-reaper.ts";

const RUNS = { permissionMode: "bypass", session: "keep" } as const;
const ROOM = 1024 * 1024;

/** What `seq` prints. */
function numbers(first: number, last: number): string {
  return `${Array.from({ length: last - first + 1 }, (_, index) => first + index).join("\n")}\n`;
}

/** Where each line of a list begins with that text. */
const named = (count: number, text: (name: string) => string) =>
  Array.from({ length: count }, (_, index) => text(`n${String(index).padStart(4, "0")}`)).join(
    "\n",
  );

const read = (whole: string, offset: number, more: { readonly limit?: number } = {}): Step => ({
  calls: [{ tool: "resource_read", args: { ref: sha256(whole), offset, ...more } }],
});

/** The results of the calls, in order. */
async function resultsOf(
  steps: readonly Step[],
  spec: Parameters<typeof modelTurn>[1] = {},
): Promise<readonly string[]> {
  const { run } = await modelTurn([...steps, { text: "done" }], { ...RUNS, ...spec });
  expect(await run.over()).toBe("done");
  return run.all("tool-returned").map(({ result }) => result);
}

const LONG_LINE = "x".repeat(2500);
const bash = (command: string): ScriptedCall => ({ tool: "Bash", args: { command } });

const CUTS: readonly {
  readonly what: string;
  readonly before?: readonly ScriptedCall[];
  readonly call: ScriptedCall;
  readonly whole: string;
  /** Where that begins which is not shown. */
  readonly offset: number;
  readonly left: string;
}[] = [
  {
    what: "a command printed",
    call: bash("seq 1 9000"),
    whole: numbers(1, 9000),
    offset: 0,
    left: "the beginning is not shown",
  },
  {
    what: "a command printed that failed",
    call: bash("seq 1 9000; exit 3"),
    whole: numbers(1, 9000),
    offset: 0,
    left: "the beginning is not shown",
  },
  {
    what: "a command in the background printed",
    before: [{ tool: "Bash", args: { command: "seq 1 9000", run_in_background: true } }],
    call: { tool: "TaskOutput", args: { task_id: "job-1", block: true } },
    whole: numbers(1, 9000),
    offset: 0,
    left: "the beginning is not shown",
  },
  {
    what: "a long file holds",
    before: [bash("seq 1 2500 > long.txt")],
    call: { tool: "Read", args: { file_path: "long.txt" } },
    whole: numbers(1, 2500).trimEnd(),
    offset: numbers(1, 2000).length,
    left: "lines 2001 to 2500 are not shown",
  },
  {
    what: "a long line holds",
    before: [bash(`printf 'a\\n%s\\nb\\n' ${LONG_LINE} > wide.txt`)],
    call: { tool: "Read", args: { file_path: "wide.txt" } },
    whole: `a\n${LONG_LINE}\nb`,
    offset: 2,
    left: "long lines are cut",
  },
  {
    what: "a search for names found",
    before: [bash("mkdir d && cd d && touch $(seq -f 'n%04g' 0 299)")],
    call: { tool: "Glob", args: { pattern: "d/*" } },
    whole: named(300, (name) => `d/${name}`),
    offset: named(250, (name) => `d/${name}`).length + 1,
    left: "there are more; use a narrower pattern",
  },
  {
    what: "a search for texts found",
    before: [bash("seq -f 'n%04g' 0 299 > names.txt")],
    call: { tool: "Grep", args: { pattern: "n", path: "names.txt", output_mode: "content" } },
    whole: named(300, (name) => `names.txt:${Number(name.slice(1)) + 1}:${name}`),
    offset: named(250, (name) => `names.txt:${Number(name.slice(1)) + 1}:${name}`).length + 1,
    left: "there is more; search for something narrower",
  },
  {
    what: "a wide line has that was found",
    before: [bash(`printf '%s\\n' ${LONG_LINE} > wide.txt`)],
    call: { tool: "Grep", args: { pattern: "x", path: "wide.txt", output_mode: "content" } },
    whole: `wide.txt:1:${LONG_LINE}`,
    offset: 0,
    left: "long lines are cut",
  },
];

test.each(CUTS)(
  "what $what and its model was not shown is read later by resource_read [LOOP-14.rest]",
  async ({ before = [], call, whole, offset, left }) => {
    const setUp = before.map((each): Step => ({ calls: [each] }));
    const results = await resultsOf([
      ...setUp,
      { calls: [call] },
      read(whole, offset, { limit: 64_000 }),
    ]);
    const [shown = "", rest = ""] = results.slice(before.length);
    const note = `(${left}: get it with resource_read, ref "${sha256(whole)}", offset ${offset})`;
    expect(shown).toContain(note);
    const { content } = JSON.parse(rest);
    expect(content).toBe(whole.slice(offset));
    expect(shown).not.toContain(content);
  },
);

test("of what is longer than 1 MiB so much is kept, and said so [LOOP-14.rest]", async () => {
  const whole = numbers(1, 200_000).slice(-ROOM);
  const [shown = "", rest = ""] = await resultsOf([
    { calls: [bash("seq 1 200000")] },
    read(whole, ROOM - 10),
  ]);
  expect(shown).toContain(
    `(the beginning is not shown, and of all of it ${ROOM} characters are kept: get it with resource_read`,
  );
  expect(JSON.parse(rest)).toMatchObject({
    content: "9\n200000\n".padStart(10, "9"),
    total_chars: ROOM,
  });
});

test("what the model itself asked to leave out is not kept [LOOP-14.rest]", async () => {
  const limit = { file_path: "long.txt", limit: 10 };
  const [, shown, found] = await resultsOf([
    { calls: [bash("seq 1 30 > long.txt")] },
    { calls: [{ tool: "Read", args: limit }] },
    { calls: [{ tool: "Grep", args: { pattern: "1", output_mode: "content", head_limit: 2 } }] },
  ]);
  expect(shown?.split("\n").at(-1)).toBe("(lines 11 to 30 are not shown)");
  expect(found?.split("\n").at(-1)).toBe("(there is more; search for something narrower)");
});

test("an agent that may not read the rest is told what is missing, and nothing is kept [LOOP-14.rest]", async () => {
  const { run } = await modelTurn([{ calls: [bash("seq 1 9000")] }, { text: "done" }], {
    ...RUNS,
    disallowedTools: ["resource_read"],
  });
  await run.over();
  const [returned] = run.all("tool-returned");
  expect(returned?.result).toMatch(/^\(the beginning is not shown\)\n/);
  expect(run.all("session-noted").filter(({ rest }) => rest !== undefined)).toEqual([]);
});

test("an agent keeps 32 MiB of such texts at most; then it is told to ask for less [LOOP-14.rest]", async () => {
  const loud = Array.from(
    { length: 33 },
    (_, index): Step => ({
      calls: [
        bash(
          `echo ${String(index).padStart(3, "0")}; seq -f '%0.0f' ${index + 1}000000 ${index + 1}130999`,
        ),
      ],
    }),
  );
  const { run } = await modelTurn([...loud, { text: "done" }], RUNS);
  await run.over();
  const results = run.all("tool-returned").map(({ result }) => result);
  expect(results[31]).toContain("get it with resource_read");
  expect(results[32]).toMatch(
    /^\(the beginning is not shown, and not kept: this agent has kept as much as one may; ask for less at once\)\n/,
  );
});

test("a subagent reads what its own tools left out, and what it is told by whoever asked it [LOOP-14.rest, SUB-1]", async () => {
  const own = numbers(1, 9000);
  const parents = numbers(1, 9001);
  const inside = scriptText(
    { calls: [bash("seq 1 9000")] },
    read(own, 0, { limit: 4 }),
    read(parents, 2, { limit: 4 }),
    { text: "looked" },
  );
  const { run } = await modelTurn(
    [
      { calls: [bash("seq 1 9001")] },
      { calls: [{ tool: "Task", args: { description: "look", prompt: inside, name: "sub" } }] },
      { text: "done" },
    ],
    { ...RUNS, spawns: true },
  );
  expect(await run.over()).toBe("done");
  const read1 = run
    .all("tool-returned")
    .filter(({ agent, tool }) => agent === "sub" && tool === "resource_read");
  expect(read1.map(({ result }) => JSON.parse(result).content)).toEqual(["1\n2\n", "2\n3\n"]);
});

test("once its result has become one line that line says where all of it lies [LOOP-14.rest, LOOP-13.old]", async () => {
  const { planCompaction } = await import("../../../../src/agents/backends/model/loop/compact.ts");
  const told = (text: string) => ({ kind: "told", turn: 1, why: "prompt", text }) as const;
  const plan = planCompaction(
    [
      told("do it"),
      {
        kind: "answer",
        turn: 1,
        finish: "calls",
        parts: [{ type: "call", call: "1", id: "a", tool: "Bash", input: "{}" }],
      },
      {
        kind: "result",
        call: "1",
        isError: false,
        isBad: false,
        text: "y".repeat(30_000),
        rest: "f00",
      },
      told("z".repeat(4_000)),
    ],
    2000,
  );
  expect(JSON.stringify(plan)).toContain(
    '[30000 characters left out: resource_read, ref \\"f00\\"]',
  );
});
