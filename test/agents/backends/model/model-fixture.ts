import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createModelBackend } from "../../../../src/agents/backends/model/model-backend.ts";
import type { AgentSession, SessionRequest } from "../../../../src/contracts/backend.ts";
import { systemClock } from "../../../../src/foundation/clock.ts";
import { defineModel } from "../../../../src/sdk/define-code.ts";
import { type BackendBehaviour, HUGE_TASK } from "../../../../src/testing/backend-conformance.ts";
import { createOwnBackend, type OwnBackend } from "../../../../src/testing/create-own-backend.ts";
import { startModelServer } from "../../../clients/model-server/model-server.ts";
import { type Step, scriptText } from "../../../clients/model-server/script.ts";
import { HANGS, isAlive, type OpenFixture } from "../backend-fixtures.ts";
import { createTestHost } from "../test-host.ts";
import { createMemoryRecord } from "./memory-record.ts";

const { PATH = "" } = process.env;

const steps: { readonly [behaviour in BackendBehaviour]?: readonly Step[] } = {
  says: [{ text: "all done" }],
  receives: [{ text: "whole" }],
  fails: [{ fail: { status: 400 } }],
  hangs: [{ text: "started", calls: [{ shell: HANGS }] }],
};

/** A model behind a server that speaks Anthropic's protocol. */
export function modelFixture(): Promise<OpenFixture> {
  return fixtureOf((baseUrl) => {
    const settings = { anthropic: { baseUrl } };
    const backend = createModelBackend(
      { host: createTestHost(), clock: systemClock, settings },
      { name: "model", settings: undefined },
    );
    return { backend, close: async () => {} };
  });
}

/** The same model as somebody's own. */
export function ownModelFixture(): Promise<OpenFixture> {
  return fixtureOf((baseURL) => {
    const model = createAnthropic({ baseURL, apiKey: "x" })("scripted");
    return createOwnBackend(defineModel({ name: "model", model }));
  });
}

async function fixtureOf(open: (baseUrl: string) => OwnBackend): Promise<OpenFixture> {
  const server = await startModelServer();
  const cwd = await mkdtemp(join(tmpdir(), "troupe-model-"));
  await mkdir(join(cwd, "pids"));
  const { backend, close } = open(`${server.urlFor("worker")}/v1`);
  const record = createMemoryRecord();
  const openTold = async (request: SessionRequest): Promise<AgentSession> => {
    const session = await backend.open(request);
    if (request.spec.name !== "receives") return session;
    return {
      ...session,
      prompt: async function* (turn) {
        for await (const update of session.prompt(turn)) {
          const { body = "" } = server.calls().at(-1) ?? {};
          const isWhole = body.includes(JSON.stringify(HUGE_TASK).slice(1, -1));
          if (update.type === "stop" && !isWhole) throw new Error("it came in part only");
          yield update;
        }
      },
    };
  };
  return {
    backend: { ...backend, open: openTold },
    canResume: true,
    lacks: new Set<BackendBehaviour>(["facts", "floods"]),
    session: (behaviour) => ({
      run: "run_aaaaaa",
      session: "worker",
      cwd,
      env: { PATH, ANTHROPIC_API_KEY: "x" },
      record,
      spec: {
        id: "worker",
        name: behaviour,
        backend: "model",
        model: "anthropic/scripted",
        settings: { systemPrompt: scriptText(...(steps[behaviour] ?? [])) },
      },
    }),
    livingProcesses: async () => {
      const pids = (await readdir(join(cwd, "pids"))).map(Number);
      const alive = await Promise.all(pids.map(isAlive));
      return pids.filter((_, index) => alive[index]);
    },
    dispose: async () => {
      await close();
      await server.close();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}
