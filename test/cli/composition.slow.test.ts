import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";

// Agents of the modes are real programs: a series of iterations, a team whose leader fills its list, agents that answer.
const LEAD = `if grep -q "There are no tasks" "$TROUPE_TASK_FILE"
then printf -- "- [ ] one\\n- [ ] two (after: #1)\\n"; else echo "DONE: both tasks"; fi
`;
const AGENTS = `agents:
  dev: { backend: command, command: [sh, -c, 'echo line >> notes; echo "DONE: line $(grep -c . notes)"'] }
  lead: { backend: command, command: [sh, lead.sh] }
  hand: { backend: command, command: [sh, -c, 'echo "DONE: by $TROUPE_AGENT"'] }
  solo: { backend: command, command: [sh, -c, 'echo "DONE: read: $(cat)"'] }
  chief: { backend: command, spawns: true, command: [sh, -c, 'echo "DONE: read: $(cat)"'] }
  broken: { backend: command, command: [sh, -c, 'echo "the disk is full" >&2; exit 3'] }
`;
const POLISH = "type: pattern, pattern: iterate, agents: [dev], iterate: { count: 2 }";
const BUILD = "type: pattern, pattern: team, agents: [lead, hand], task: Build it";
const FAIL = "type: pattern, pattern: iterate, agents: [broken], iterate: { count: 1 }";

/** Runs a workflow whose steps are written so. */
async function runSteps(steps: readonly string[]) {
  const text = `id: flow\n${AGENTS}steps:\n${steps.map((step) => `  - ${step}\n`).join("")}`;
  const cwd = createProject({ "flow.yaml": text, "lead.sh": LEAD });
  const { exitCode, out, err } = await call(cwd, ["run", "flow.yaml", "go", "-q"]);
  const journal = await call(cwd, ["logs", "@last", "--json"]);
  const paths = [...journal.out.matchAll(/"type":"step-completed".*?"path":"([^"]+)"/g)];
  return { cwd, exitCode, out: out.trim(), err, done: paths.map(([, path]) => path) };
}

test("modes follow each other, and each is given what the ones before it came to [STP-1]", async () => {
  const { exitCode, out } = await runSteps([
    `{ id: polish, ${POLISH}, task: "{{input}}", next: build }`,
    `{ id: build, ${BUILD}, next: third }`,
    `{ id: third, type: pattern, pattern: collab, agents: [chief], task: "{{context.polish.output}} and {{context.build.output}}", next: said }`,
    "{ id: said, type: transform, transform: context.third.output }",
  ]);
  expect([exitCode, out.split("\n")[0]]).toEqual([0, "read: DONE: line 2 and both tasks"]);
});

test.each([
  [POLISH, "went well"],
  [FAIL, "went wrong"],
])("a condition goes on by what a mode came to: %s [STP-1]", async (mode, said) => {
  const { out } = await runSteps([
    `{ id: first, ${mode}, next: ask, on_error: ask }`,
    "{ id: ask, type: condition, condition: context.first.success, then: good, else: bad }",
    `{ id: good, type: transform, transform: "'went well'" }`,
    `{ id: bad, type: transform, transform: "'went wrong'" }`,
  ]);
  expect(out).toBe(said);
});

test("modes work side by side, and an agent brings together what they came to [STP-7]", async () => {
  const { exitCode, out } = await runSteps([
    `{ id: all, type: parallel, next: join, steps: [{ id: polish, ${POLISH} }, { id: build, ${BUILD} }] }`,
    `{ id: join, type: agent, agent: solo, prompt: "{{context.polish.output}} + {{context.build.output}}" }`,
  ]);
  expect([exitCode, out]).toEqual([0, "DONE: read: DONE: line 2 + both tasks"]);
});

test("a mode that fails ends the workflow: nothing after it is begun [STP-1, ENG-11]", async () => {
  const { cwd, exitCode, err } = await runSteps([
    `{ id: first, ${FAIL}, next: polish }`,
    `{ id: polish, ${POLISH} }`,
  ]);
  expect([exitCode, existsSync(join(cwd, "notes"))]).toEqual([1, false]);
  expect(err).toContain('step "first" failed: the iterate of step "first"');
});

test("where it is said, others go on: min_success of a parallel, rounds of a loop, on_error of a step [STP-7, STP-1]", async () => {
  const { exitCode, done } = await runSteps([
    `{ id: some, type: parallel, min_success: 1, next: rounds, steps: [{ id: a, ${FAIL} }, { id: b, ${POLISH} }] }`,
    `{ id: rounds, type: loop, times: 2, on_failure: continue, next: last, steps: [{ id: r, ${POLISH}, when: index == 1 }] }`,
    `{ id: last, ${FAIL}, on_error: end }`,
    `{ id: end, ${POLISH} }`,
  ]);
  expect([exitCode, done.filter((path) => !path?.includes("["))]).toEqual([
    0,
    ["b", "some", "rounds", "end"].map((id) => (id === "b" ? "some/b" : id)),
  ]);
});

test("after the last attempt of a step its fallbacks try once each, told what went wrong; of a mode they take the place of its first agent [STP-19]", async () => {
  const { exitCode, out, done } = await runSteps([
    `{ id: alone, type: agent, agent: broken, fallback: [broken, solo], prompt: "do it", next: series }`,
    "{ id: series, type: pattern, pattern: iterate, agents: [broken], fallback: [solo], iterate: { count: 1 }, task: write, next: said }",
    `{ id: said, type: agent, agent: solo, prompt: "{{context.alone.result}} | {{context.series.output}}" }`,
  ]);
  expect([exitCode, done]).toEqual([0, ["alone", "series/iteration[0]", "series", "said"]]);
  expect(out).toMatch(
    /^DONE: read: DONE: read: do it \| DONE: read: [\s\S]*write\n\nSomebody else tried before, and failed:\n.*0 of 1 iterations succeeded/,
  );
});

test("what no fallback can be is said before anything runs [STP-19]", async () => {
  const wrong = async (step: string) => (await runSteps([step])).err;
  expect(
    await wrong("{ id: a, type: agent, agent: dev, fallback: [nobody], prompt: x }"),
  ).toContain("nobody");
  expect(
    await wrong(
      "{ id: a, type: pattern, pattern: fan-out, steps: [{ id: s, agent: dev }], fallback: [hand], task: x }",
    ),
  ).toContain("stands beside steps");
  expect(
    await wrong(
      "{ id: a, type: pattern, pattern: iterate, agents: [dev, solo], iterate: { count: 1, summarizer: model }, fallback: [solo], task: x }",
    ),
  ).toContain("solo cannot take the place of the first agent");
});

test("workflows with modes nest eight levels deep, and no deeper [ENG-12]", async () => {
  const level = (index: number, last: number) =>
    index === last
      ? `id: l${index}\n${AGENTS}steps: [{ id: polish, ${POLISH} }]\n`
      : `id: l${index}\nsteps: [{ id: inner, type: workflow, file: l${index + 1}.yaml }]\n`;
  const nested = async (levels: number) => {
    const files = Array.from({ length: levels }, (_, index) => [
      `l${index + 1}.yaml`,
      level(index + 1, levels),
    ]);
    const cwd = createProject(Object.fromEntries(files));
    return call(cwd, ["run", "l1.yaml", "go", "-q"]);
  };
  expect((await nested(9)).exitCode).toBe(0);
  const deeper = await nested(10);
  expect([deeper.exitCode, deeper.err.includes("over 8 levels")]).toEqual([2, true]);
});
