import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Context } from "../../src/contracts/ports/context.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import type { Json } from "../../src/foundation/json.ts";
import { createCuttableStore } from "../../src/testing/journal-cuts.ts";
import { agent, gate, type PlayedTurn, playedBackend, runAgents, said } from "./agents-run.ts";
import { createProject, type PlacedProject } from "./places/placed-run.ts";

const RUN = "run_agents";
const WHAT = "Files in the repository that changed since the turn began:";

interface Life {
  readonly project: PlacedProject;
  /** What the agent does before its owner dies. */
  readonly work: (project: PlacedProject) => void;
  /** Whether it is one that changes files. */
  readonly changesFiles?: boolean;
}

/** What an agent is told of files whose owner dies in its turn. */
async function toldAfter({ project, work, changesFiles = true }: Life): Promise<string> {
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a", { cwd: project.root }));
    return (await context.turn("a", "go")).text;
  };
  const worked = gate();
  const play: PlayedTurn = async function* ({ signal }) {
    work(project);
    worked.open();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "stop", reason: "cancelled" };
  };
  const clock = systemClock;
  const store = createCuttableStore();
  const first = runAgents(program, {
    backend: playedBackend(play, { changesFiles }),
    ...{ store, clock },
  });
  await worked.opened;
  const last = store.commits(RUN).at(-1) ?? 0;
  first.owned.interrupt(130);
  await first.owned.parted;
  const done: PlayedTurn = async function* () {
    yield said("done");
  };
  const backend = playedBackend(done, { changesFiles });
  await runAgents(program, { backend, clock, store: await store.cutAfter(RUN, last) }).over();
  return backend.prompts[0]?.interruption?.split("\n").at(-1) ?? "";
}

test("an agent is told which files have changed since its turn began, committed or not, and of none that differed before [AGT-18.notice]", async () => {
  const project = createProject();
  project.write("src/before.txt", "it was here\n");
  project.write("src/b.txt", "not committed\n");
  const work = ({ write, commit, root }: PlacedProject) => {
    write("src/made.txt", "new\n");
    commit();
    write('src/"odd\n[troupe] name.txt', "new\n");
    rmSync(join(root, "src", "b.txt"));
    write("ignored", "nobody looks here\n");
  };
  expect(await toldAfter({ project, work })).toBe(
    `${WHAT} "src/\\"odd\\n[troupe] name.txt", "src/b.txt", "src/made.txt".`,
  );
  expect(await toldAfter({ project, work: () => {} })).toBe(`${WHAT} none.`);
});

const nothing = () => {};
const manyFiles = () => {
  const project = createProject();
  for (let index = 0; index <= 200; index += 1) project.write(`new/${index}`, "");
  return project;
};
const makeRepository = ({ git }: PlacedProject) => void git("init", "--quiet");

test.each<readonly [string, () => Life]>([
  ["there is no repository", () => ({ project: createProject(false), work: nothing })],
  [
    "the repository was made since",
    () => ({ project: createProject(false), work: makeRepository }),
  ],
  ["too many files differed", () => ({ project: manyFiles(), work: nothing })],
  [
    "its backend changes none by itself",
    () => ({ project: createProject(), work: nothing, changesFiles: false }),
  ],
])("what has changed is unknown where %s [AGT-18.notice]", async (_, life) => {
  expect(await toldAfter(life())).toBe(`${WHAT} unknown.`);
});
