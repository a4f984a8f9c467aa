import { hash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCommandBackend } from "../../../src/agents/backends/command/command-backend.ts";
import { createFunctionBackend } from "../../../src/agents/backends/function/function-backend.ts";
import { createHumanBackend } from "../../../src/agents/backends/human/human-backend.ts";
import { createScriptBackend } from "../../../src/agents/backends/script/script-backend.ts";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import type { AgentSession, SessionRequest } from "../../../src/contracts/backend.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import type { Json } from "../../../src/foundation/json.ts";
import type { BackendBehaviour, BackendFixture } from "../../../src/testing/backend-conformance.ts";
import { HUGE_TASK } from "../../../src/testing/backend-conformance.ts";
import { createRecordingClient } from "../../../src/testing/turn-request.ts";
import { createTestHost } from "./test-host.ts";

/** A fixture and the end of it. */
export interface OpenFixture extends BackendFixture {
  dispose(): Promise<void>;
}

type Parts = Pick<BackendFixture, "backend" | "canResume" | "lacks"> & {
  readonly settings: (behaviour: BackendBehaviour) => { readonly [key: string]: Json };
};

const { PATH = "" } = process.env;
/** A command that hangs with a process below it, and writes down the pids of both. */
export const HANGS = `sh -c 'echo $$ > pids/$$; exec sleep 600' & echo $$ > pids/$$; echo started; wait`;

const scripts: { readonly [behaviour in BackendBehaviour]?: Json } = {
  says: [{ say: "all done" }],
  receives: [{ expect: HUGE_TASK, say: "whole" }],
  fails: [{ fail: { code: "OVERLOADED", message: "busy" } }],
  hangs: [{ do: [{ chunk: "started" }, { run: HANGS }] }],
};

const node = (code: string): Json => [process.execPath, "-e", code];

const commands: { readonly [behaviour in BackendBehaviour]: Json } = {
  says: "echo all done",
  receives: node(`
    const fs = require("node:fs");
    const given = fs.readFileSync(0, "utf8");
    const same = given === fs.readFileSync(process.env.TROUPE_TASK_FILE, "utf8");
    const sum = require("node:crypto").hash("sha1", given);
    process.exit(same && sum === process.env.EXPECTED ? 0 : 1);`),
  fails: "echo broken >&2; exit 7",
  hangs: HANGS,
  floods: node(`process.stdout.write("y".repeat(8 * 1024 * 1024) + "the end\\n")`),
  facts: node(`
    const { TROUPE_RUN: run, TROUPE_AGENT: agent, TROUPE_STEP: step } = process.env;
    const { TROUPE_IDEMPOTENCY_KEY: key, TROUPE_ATTEMPT: attempt } = process.env;
    const previousError = process.env.TROUPE_PREVIOUS_ERROR;
    console.log(JSON.stringify({ run, agent, step, key, attempt: Number(attempt), previousError }));`),
};

const functions: { readonly [behaviour in BackendBehaviour]: AgentFunction } = {
  says: ({ stream }) => {
    stream("all done");
    return "all done";
  },
  receives: ({ task }) => {
    if (task !== HUGE_TASK) throw new Error(`${task.length} characters`);
  },
  fails: async () => {
    throw new Error("broken");
  },
  hangs: ({ stream, signal }) => {
    stream("started");
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  },
  floods: () => `${"y".repeat(8 * 1024 * 1024)}the end`,
  facts: ({ run, agent, step, key, attempt, previousError }) => ({
    run,
    agent,
    step,
    key,
    attempt,
    previousError,
  }),
};

export function scriptFixture(): Promise<OpenFixture> {
  return createFixture({
    backend: createScriptBackend({ host: createTestHost(), clock: systemClock }),
    canResume: true,
    lacks: new Set<BackendBehaviour>(["floods", "facts"]),
    settings: (behaviour) => ({ script: scripts[behaviour] ?? [] }),
  });
}

export function commandFixture(): Promise<OpenFixture> {
  return createFixture({
    backend: createCommandBackend({ host: createTestHost() }),
    canResume: false,
    lacks: new Set<BackendBehaviour>(),
    settings: (behaviour) => ({ command: commands[behaviour] }),
  });
}

export function functionFixture(): Promise<OpenFixture> {
  const sources = { functions: new Map(), importModule: async () => functions };
  return createFixture({
    backend: createFunctionBackend(sources),
    canResume: false,
    lacks: new Set<BackendBehaviour>(),
    settings: (behaviour) => ({ module: `/agents.ts#${behaviour}` }),
  });
}

/** The person in front of a human agent: answers whatever turns ask. */
const answers: { readonly [behaviour in BackendBehaviour]?: (question: string) => string } = {
  says: () => "all done",
  receives: (question) => {
    if (question !== HUGE_TASK) throw new Error(`${question.length} characters`);
    return "whole";
  },
  floods: () => `${"y".repeat(8 * 1024 * 1024)}the end`,
};

/** A person says nothing while she thinks, knows no keys, and whoever fails does not answer. */
export function humanFixture(): Promise<OpenFixture> {
  const human = createHumanBackend();
  const open = async (request: SessionRequest): Promise<AgentSession> => {
    const session = await human.open(request);
    const answer = Object.entries(answers).find(
      ([behaviour]) => behaviour === request.spec.settings?.["behaviour"],
    )?.[1];
    const client = createRecordingClient({ ask: async (question) => answer?.(question) ?? "" });
    return { ...session, prompt: (turn) => session.prompt({ ...turn, client }) };
  };
  return createFixture({
    backend: { ...human, open },
    canResume: false,
    lacks: new Set<BackendBehaviour>(["fails", "hangs", "facts"]),
    settings: (behaviour) => ({ behaviour }),
  });
}

async function createFixture({ settings, ...parts }: Parts): Promise<OpenFixture> {
  const cwd = await mkdtemp(join(tmpdir(), "troupe-backend-"));
  await mkdir(join(cwd, "pids"));
  const env = { PATH, EXPECTED: hash("sha1", HUGE_TASK) };
  return {
    ...parts,
    session: (behaviour) => ({
      run: "run_aaaaaa",
      session: "worker",
      cwd,
      env,
      spec: { id: "worker", backend: parts.backend.name, settings: settings(behaviour) },
    }),
    livingProcesses: async () => {
      const pids = (await readdir(join(cwd, "pids"))).map(Number);
      const alive = await Promise.all(pids.map(isAlive));
      return pids.filter((_, index) => alive[index]);
    },
    dispose: () => rm(cwd, { recursive: true, force: true }),
  };
}

/** Whether a process lives. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie has ended; only its parent has not asked yet.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return !/\) [ZX] /.test(stat);
}
