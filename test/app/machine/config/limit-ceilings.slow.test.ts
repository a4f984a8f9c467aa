import { join } from "node:path";
import { expect, test } from "vitest";
import { planRun } from "../../../../src/app/plan/plan-run.ts";
import { startRun } from "../../../../src/app/run/start-run.ts";
import { loadFile } from "../../../../src/app/workflow/load-file.ts";
import { limitText } from "../../../../src/cli/plan/plan-words.ts";
import { assertLoaded } from "../../../../src/workflows/load-workflow.ts";
import { type ConfigTexts, createConfigProject } from "./config-project.ts";

const OPEN_FILES = (count: number) => `limits: { agent: { openFiles: ${count} } }\n`;

/** What `ulimit` says to an agent that asks for so many open files, and what the plan has said before. */
async function openFiles(texts: ConfigTexts, asked: number | undefined, trustsProject = true) {
  const project = createConfigProject(texts);
  const machine = project.machine({ trustsProject });
  const limits = asked === undefined ? "" : `, limits: { openFiles: ${asked} }`;
  const text = `name: one
pattern: dag
agents: [{ id: a, backend: command, command: "ulimit -n"${limits} }]
steps: [{ id: s, agent: a }]
`;
  const file = join(project.root, "one.yaml");
  const definition = assertLoaded(await loadFile(machine, { file, text }));
  const plan = await planRun(machine, { definition, start: {} });
  const run = await startRun(machine, definition);
  const { output } = await run.result;
  return [Number(output), plan.agents[0]?.limits.map(limitText).join() ?? ""];
}

interface Row {
  readonly name: string;
  readonly texts: ConfigTexts;
  readonly asked?: number;
  readonly came: readonly [number, string];
}

const CUT = "open files 300 (asks for 1000; your configuration allows no more)";

test.each<Row>([
  { name: "a workflow file", texts: { user: OPEN_FILES(300) }, asked: 1000, came: [300, CUT] },
  {
    name: "the project's configuration",
    texts: { user: OPEN_FILES(300), project: OPEN_FILES(1000) },
    came: [300, ""],
  },
  {
    name: "neither of both",
    texts: { user: OPEN_FILES(300), project: OPEN_FILES(200) },
    asked: 1000,
    came: [300, CUT],
  },
])(
  "$name raises no limit above the user's own configuration [SEC-7.limits, T18]",
  async ({ texts, asked, came }) => {
    expect(await openFiles(texts, asked)).toEqual(came);
    expect(await openFiles(texts, asked, false)).toEqual(came);
  },
);

test.each<Row>([
  {
    name: "below the user's",
    texts: { user: OPEN_FILES(300) },
    asked: 100,
    came: [100, "open files 100"],
  },
  {
    name: "where the user's says nothing",
    texts: { user: "limits: {}\n" },
    asked: 1000,
    came: [1000, "open files 1000"],
  },
  {
    name: "over that of the project",
    texts: { project: OPEN_FILES(300) },
    asked: 1000,
    came: [1000, "open files 1000"],
  },
  {
    name: "when it is the configuration's",
    texts: { user: OPEN_FILES(300) },
    asked: 300,
    came: [300, ""],
  },
])("an agent's own limit holds $name", async ({ texts, asked, came }) => {
  expect(await openFiles(texts, asked)).toEqual(came);
});
