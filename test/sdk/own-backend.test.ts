import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type BackendTurn,
  defineBackend,
  fanOut,
  resumeRun,
  runWorkflow,
} from "../../src/index.ts";
import {
  type BackendBehaviour,
  backendConformance,
  createOwnBackend,
} from "../../src/testing/index.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-own-backend-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const echo = (answer: (turn: BackendTurn) => Promise<string>, name = "house") =>
  defineBackend({
    name,
    create: ({ session }) => ({
      name,
      conventions: "none",
      demandsSignal: false,
      takesMessages: false,
      metering: "free",
      check: async ({ model }) => (model === "none" ? [{ message: "there is no such model" }] : []),
      open: async (request) => session(request, answer),
    }),
  });

const house = echo(async ({ request }) => `house: ${request.task}`);

test("agents have a backend of one's own in the ten functions and in contents of files [SDK-1.own]", async () => {
  const options = { store: "memory", cwd: directory, backends: [house] } as const;
  const run = fanOut([{ name: "a", task: "hi", backend: "house" }], options);
  expect(await run.result).toMatchObject({ success: true, output: "house: hi" });
  const content = { pattern: "pipeline", agents: [{ id: "a", backend: "house" }] };
  const again = runWorkflow(content, "ho", options);
  expect(await again.result).toMatchObject({ success: true, output: "house: ho" });
});

test("what its check says keeps a run from starting", async () => {
  const options = { store: "memory", cwd: directory, backends: [house] } as const;
  const run = fanOut([{ name: "a", task: "hi", backend: "house", model: "none" }], options);
  await expect(run.result).rejects.toMatchObject({
    code: "BACKEND_PREFLIGHT_FAILED",
    message: expect.stringContaining("there is no such model"),
  });
});

test("what its code throws fails the turn by the name of the backend", async () => {
  const loud = echo(async () => {
    throw new Error("out of tea");
  });
  const options = { store: "memory", cwd: directory, backends: [loud] } as const;
  const run = fanOut([{ name: "a", task: "hi", backend: "house" }], options);
  expect(await run.parted).toMatchObject({
    event: { reason: 'step "a" failed: the backend "house" went wrong: out of tea' },
  });
  expect(run.state.steps.byPath.get("a")).toMatchObject({
    error: { code: "WORKFLOW_BACKEND_BROKEN" },
  });
});

test("what its create makes must be a backend of its name", async () => {
  const named = defineBackend({
    name: "house",
    create: (means) => echo(async () => "", "other").create(means),
  });
  const options = { store: "memory", cwd: directory, backends: [named] } as const;
  const run = fanOut([{ name: "a", task: "hi", backend: "house" }], options);
  await expect(run.result).rejects.toMatchObject({
    message: expect.stringContaining('what its create returns is named "other"'),
  });
});

test("a run goes on in another process with its backend, and says what it needs without [ENG-14]", async () => {
  const agents = [
    { id: "a", backend: "house" },
    { id: "b", backend: "human" },
  ];
  const run = runWorkflow({ pattern: "pipeline", agents }, "hi", {
    cwd: directory,
    backends: [house],
  });
  for await (const event of run.events) if (event.type === "question-asked") break;
  await run.suspend();
  await run.parted;
  await expect(resumeRun(run.id, { cwd: directory })).rejects.toMatchObject({
    code: "WORKFLOW_CODE_MISSING",
    message: `${run.id} needs code that is not here: backends house`,
  });
  const resumed = await resumeRun(run.id, { cwd: directory, backends: [house] });
  if (resumed.status === "over") throw new Error("it is over");
  await resumed.run.cancel("enough");
  expect(await resumed.run.parted).toMatchObject({ event: { outcome: "cancelled" } });
});

/** Behaves as the suite asks for by its model. */
const behaving = echo(async ({ request, signal, emit }) => {
  const { run, agent, step, key, stepAttempt, previousError, task } = request;
  const behaviour = behaviours.get(agent);
  if (behaviour === "fails") throw new Error("no");
  if (behaviour === "hangs") {
    emit({ type: "text-delta", text: "begun" });
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  }
  if (behaviour === "receives" && !task.endsWith("ü")) throw new Error("cut");
  if (behaviour === "floods") return `${"x".repeat(8 * 1024 * 1024)}the end`;
  if (behaviour === "facts")
    return JSON.stringify({ run, agent, step, key, attempt: stepAttempt, previousError });
  emit({ type: "text-delta", text: "all done" });
  return "all done";
});

const behaviours = new Map<string, BackendBehaviour>();

test.each(backendConformance.map((one) => [one.name, one] as const))(
  "a backend of one's own: %s",
  async (_name, { run }) => {
    const { backend, close } = createOwnBackend(behaving);
    try {
      await run({
        backend,
        canResume: false,
        lacks: new Set(),
        livingProcesses: async () => [],
        session: (behaviour) => {
          behaviours.set("worker", behaviour);
          const spec = { id: "worker", backend: "house" };
          return { run: "run_aaaaaa", spec, session: "worker", cwd: directory, env: {} };
        },
      });
    } finally {
      await close();
    }
  },
);
