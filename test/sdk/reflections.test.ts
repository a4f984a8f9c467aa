import { expect, test } from "vitest";
import { pipeline, type WorkflowOptions } from "../../src/index.ts";

const memory = { store: "memory" } as const;
const stages = [
  { name: "plan", task: "plan", run: () => "an error" },
  { name: "build", task: "build", run: () => "built" },
];

/** Who has reflected on two stages, the first of which tells of an error. */
async function reflectorsOf(options: WorkflowOptions): Promise<readonly string[]> {
  const run = pipeline(stages, { ...memory, ...options });
  await run.result;
  const found: string[] = [];
  for await (const event of run.events) if (event.type === "reflection-made") found.push(event.by);
  return found;
}

test("work from code is reflected on with the options of files, or by its threshold alone [PRM-reflection-2]", async () => {
  expect(await reflectorsOf({})).toEqual([]);
  expect(await reflectorsOf({ reflection: {} })).toEqual([]);
  expect(await reflectorsOf({ reflection: { threshold: 8 } })).toEqual(["system"]);
  expect(await reflectorsOf({ reflectionThreshold: 8 })).toEqual(["system"]);
  expect(await reflectorsOf({ reflection: { threshold: 8, reflector: "plan" } })).toEqual(["plan"]);
  expect(await reflectorsOf({ reflection: { threshold: 8 }, reflectionThreshold: 0 })).toEqual([]);
  const off = { enabled: false, threshold: 8 };
  expect(await reflectorsOf({ reflection: off })).toEqual([]);
});

test("functions say how important messages are and what is to change, and hear of each reflection [PRM-reflection.hooks]", async () => {
  const heard: unknown[] = [];
  const asked: unknown[] = [];
  const told: string[] = [];
  const built = ({ prompt }: { readonly prompt: string }) => {
    told.push(prompt);
    return "built";
  };
  const run = pipeline(
    [
      { name: "plan", task: "plan", run: () => "quiet words" },
      { name: "build", task: "build", run: built },
      { name: "check", task: "check", run: () => "checked" },
    ],
    {
      ...memory,
      reflection: { threshold: 10 },
      scorer: ({ from }) => (from === "plan" ? 10 : Number.NaN),
      onReflect: async ({ recentMessages, agentStatuses, priorReflections, elapsedMs }) => {
        asked.push({ recentMessages, plan: agentStatuses.get("plan"), priorReflections });
        expect(elapsedMs).toBeGreaterThanOrEqual(0);
        return [{ agent: "build", action: "reassign", content: "a hut" }];
      },
      onReflectionComplete: (reflection) => heard.push(reflection),
    },
  );
  expect(await run.result).toMatchObject({ success: true });
  const recentMessages = [{ from: "plan", text: "quiet words", importance: 10 }];
  expect(asked).toEqual([{ recentMessages, plan: "idle", priorReflections: [] }]);
  expect(told).toEqual([expect.stringContaining("another part from now on:\n\na hut")]);
  expect(heard).toEqual([
    expect.objectContaining({
      ts: expect.stringMatching(/Z$/),
      by: "system",
      adjustments: [{ agent: "build", action: "reassign", content: "a hut", result: "done" }],
    }),
  ]);
});

test("a function alone switches reflection on; what it returns is checked, and when it fails the run goes on [PRM-reflection-2]", async () => {
  const loud = { name: "plan", task: "plan", run: () => "an error ".repeat(9) };
  const logs = async (onReflect: NonNullable<WorkflowOptions["onReflect"]>) => {
    const scorer = () => 10;
    const many = Array.from({ length: 7 }, (_, index) => ({ ...loud, name: `s${index}` }));
    const run = pipeline(many, { ...memory, onReflect, scorer });
    expect(await run.result).toMatchObject({ success: true });
    const found: string[] = [];
    for await (const event of run.events) if (event.type === "log") found.push(event.text);
    return found;
  };
  expect(await logs(() => null)).toEqual([]);
  expect(
    await logs(() => {
      throw new Error("no idea");
    }),
  ).toEqual([expect.stringMatching(/^onReflect went wrong: .*no idea/)]);
  const wrong = await logs(() => [
    { agent: "s6", action: "message", content: "go on" },
    JSON.parse('{"agent":1}'),
  ]);
  expect(wrong).toEqual([expect.stringMatching(/^onReflect: no adjustment: \{"agent":1\}/)]);
});
