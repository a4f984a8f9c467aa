import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";

const runs = (text: string) => `backend: command, command: [sh, -c, "${text}"] }`;
const LEADS =
  "if grep -q 'There are no tasks'; then echo '- [ ] size'; else echo 'DONE: built'; fi";

/** A file of each mode, with what its graph and plan say and what it comes to. */
const MODES = {
  iterate: {
    agents: { dev: runs("echo DONE: $TROUPE_STEP"), scribe: runs("echo it went well") },
    block: "{ maxIterations: 2, summarizer: model }",
    graph: "dev: next iteration → dev, is summed up → scribe",
    plan: "2 to 4 (2 iterations + 1 by scribe for each)",
    output: "DONE: iteration[1]",
  },
  collab: {
    agents: { chief: `spawns: true, ${runs("echo 'DONE: together'")}` },
    block: "{ roles: [worker] }",
    graph: "chief  chief · command",
    plan: "1 orchestrator, woken by its agents",
    output: "together",
  },
  team: {
    agents: { lead: `role: lead, ${runs(LEADS)}`, hand: runs("echo 'DONE: 3 files'") },
    block: "{ maxWorkers: 1 }",
    graph: "lead ─▶ hand",
    plan: "1 leader + 1 per task, up to 1 at a time",
    output: "built",
  },
} as const;
const names = ["iterate", "collab", "team"] as const;

const agentsOf = (name: (typeof names)[number]) => Object.entries<string>(MODES[name].agents);

test.each(names)(
  "a file of %s has its block, its plan, its graph and its report as those of every pattern [ITR-shape.ways, ITR-shape.views, ITR-prompt.estimate]",
  async (name) => {
    const { block, plan, graph: drawing, output } = MODES[name];
    const agents = agentsOf(name).map(([id, rest]) => `  - { id: ${id}, ${rest}\n`);
    const text = `name: w\npattern: ${name}\nagents:\n${agents.join("")}${name}: ${block}\n`;
    const cwd = createProject({ "w.yaml": text });
    const planned = await call(cwd, ["plan", "w.yaml", "go"]);
    expect([planned.exitCode, planned.out]).toEqual([0, expect.stringContaining(plan)]);
    const drawn = await call(cwd, ["graph", "w.yaml"]);
    expect([drawn.exitCode, drawn.out]).toEqual([0, expect.stringContaining(drawing)]);
    const ran = await call(cwd, ["run", "w.yaml", "go", "-q"]);
    expect([ran.exitCode, ran.out]).toEqual([0, `${output}\n`]);
    const reported = await call(cwd, ["report", "@last"]);
    expect(reported.exitCode).toBe(0);
    const html = readFileSync(join(cwd, reported.out.trim()), "utf8");
    const [, data = "null"] = /id="troupe-run">([^<]*)</.exec(html) ?? [];
    const { graph, events } = JSON.parse(data);
    expect(graph.nodes.map(({ id }: { id: string }) => id)).toEqual(
      agentsOf(name).map(([id]) => id),
    );
    expect(events.at(-1)).toMatchObject({ type: "run-ended", result: { pattern: name, output } });
  },
);

test("each mode is a step of a workflow, under the keys of its block in snake_case [ITR-shape.ways, ITR-shape.snake]", async () => {
  const agents = names.flatMap(agentsOf).map(([id, rest]) => `  ${id}: { ${rest}\n`);
  const text = `id: all
agents:
${agents.join("")}steps:
  - { id: one, type: pattern, pattern: iterate, agents: [dev, scribe], task: go, iterate: { max_iterations: 2, summarizer: model }, next: two }
  - { id: two, type: pattern, pattern: collab, agents: [chief], task: go, collab: { roles: [worker] }, next: three }
  - { id: three, type: pattern, pattern: team, agents: [lead, hand], task: go, team: { max_workers: 1 }, next: all }
  - { id: all, type: transform, transform: "[context.one.output, context.two.output, context.three.output]" }
`;
  const cwd = createProject({ "all.yaml": text });
  const { exitCode, out } = await call(cwd, ["run", "all.yaml", "go", "-q"]);
  expect([exitCode, JSON.parse(out)]).toEqual([0, ["DONE: one/iteration[1]", "together", "built"]]);
});
