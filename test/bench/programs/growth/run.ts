// One durable run of so many rounds of a loop (of code, or of an agent), or so many broadcasts to two agents: what it took.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fanOut } from "../../../../src/index.ts";
import { createSqliteStore } from "../../../../src/journal/sqlite-store.ts";
import { runStepsInMemory } from "../../../../src/testing/run-workflow-in-memory.ts";
import { timed, withFolder } from "../../figure.ts";
import { sdkPlace } from "../../sdk-place.ts";

const [, , kind = "loop", given = "1000"] = process.argv;
const count = Number(given);
// As many as can be under way before one waits for the other.
const AT_ONCE = 50;

const round =
  kind === "agents"
    ? { type: "agent", settings: { agent: "worker", prompt: "round {{index}}" } }
    : { type: "transform", settings: { transform: "index" } };

await withFolder(async (folder) => {
  const ms = await timed(() => (kind === "broadcasts" ? broadcasts(folder) : loop(folder)));
  const mb = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(`${JSON.stringify({ ms, mb, bytes: bytesIn(folder) })}\n`);
});

async function loop(folder: string): Promise<void> {
  const { outcome } = await runStepsInMemory(
    {
      maxIterations: 1e6,
      maxErrors: 1e6,
      maxDurationMs: 1e9,
      agents: [{ id: "worker", backend: "function" }],
      steps: [
        {
          id: "loop",
          type: "loop",
          settings: { times: count },
          steps: [{ ...round, id: "round" }],
        },
      ],
    },
    { store: createSqliteStore(folder), functions: { worker: () => "done" } },
  );
  if (outcome !== "completed") throw new Error(`the loop ended as ${outcome}`);
}

async function broadcasts(folder: string): Promise<void> {
  const said = Promise.withResolvers<string>();
  const tasks = ["one", "two"].map((name) => ({ name, task: "", run: () => said.promise }));
  const run = fanOut(tasks, sdkPlace(join(folder, "project")));
  for await (const { type } of run.events) if (type === "turn-started") break;
  for (let sent = 0; sent < count; sent += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, index) => `what was found ${sent + index}`);
    await Promise.all(some.map((text) => run.broadcast(text)));
  }
  said.resolve("done");
  const { success } = await run.result;
  if (!success) throw new Error("the fan-out failed");
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
