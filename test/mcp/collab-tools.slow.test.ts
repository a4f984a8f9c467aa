import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ContextVisitor } from "../../src/contracts/context-access.ts";
import { createContextServer } from "../../src/mcp/context-server.ts";
import { agent, playedBackend, runAgents, said } from "../agents/agents-run.ts";
import { type Call, callerOf, type Part, says } from "../agents/collab/collab-run.ts";
import { callTool, connectClient, createDirectory, openDoor, REVISIONS, WAYS } from "./door.ts";

const cases = WAYS.flatMap((way) => REVISIONS.map((revision) => ({ way, revision })));

test.each(cases)(
  "an agent spawns, awaits and closes others through a client of revision $revision by the $way [MCP-1.collab, COL-1, SUB-7]",
  async (ways) => {
    const server = createContextServer({
      socketPath: `${createDirectory()}/c.sock`,
      version: "1",
    });
    const answers: unknown[] = [];
    const visitors: ContextVisitor[] = [];
    const lead: Part = async () => {
      const [visitor] = visitors;
      if (visitor === undefined) throw new Error("nobody was let in");
      const access = await server.open({ ...visitor, session: "client" });
      const client = await connectClient(access, ways);
      const ask: Call = async (tool, input) =>
        JSON.parse((await callTool(client, tool, input)).text);
      answers.push((await client.listTools()).tools.map(({ name }) => name).slice(-6));
      answers.push(await ask("spawn_agent", { prompt: "look" }));
      answers.push(await ask("wait"));
      answers.push(await ask("close_agent", { id: "worker-1" }));
      return "done";
    };
    const parts: { readonly [id: string]: Part } = { lead, "worker-1": says("seen") };
    const backend = playedBackend(
      async function* (request) {
        yield said((await parts[request.agent]?.(callerOf(request), request)) ?? "");
      },
      { reach: "http" },
    );
    const run = runAgents(
      async (context) => {
        await context.spawn(agent("lead", { session: "keep", spawns: true }));
        return (await context.turn("lead", "go")).text;
      },
      {
        backend,
        contextDoor: {
          open: (visitor) => {
            visitors.push(visitor);
            return server.open(visitor);
          },
        },
      },
    );
    expect(await run.over()).toBe("done");
    await server.close();
    expect(answers).toEqual([
      ["spawn_agent", "send_input", "wait", "close_agent", "resume_agent", "list_agents"],
      { id: "worker-1", name: "worker-1", status: "pending_init" },
      {
        statuses: { "worker-1": { status: "completed", text: "seen" } },
        timed_out: false,
        effective_timeout_seconds: 50,
      },
      {
        id: "worker-1",
        previous_status: { status: "completed", text: "seen" },
        closed: ["worker-1"],
      },
    ]);
  },
);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});

afterEach(() => {
  vi.useRealTimers();
});

test.each(cases)(
  "a call that lasts tells a client of revision $revision by the $way every ten seconds that it goes on [COL-15]",
  async (ways) => {
    const { promise, resolve } = Promise.withResolvers<null>();
    const called = Promise.withResolvers<void>();
    const call = () => {
      called.resolve();
      return promise;
    };
    const client = await connectClient(await openDoor().letIn("ada", { call }), ways);
    const heard: number[] = [];
    const answer = client.callTool(
      { name: "wait", arguments: {} },
      { onprogress: ({ progress }) => heard.push(progress), timeout: 60_000 },
    );
    await called.promise;
    vi.advanceTimersByTime(9_999);
    vi.advanceTimersByTime(20_001);
    await expect.poll(() => heard).toEqual([10, 20, 30]);
    resolve(null);
    await answer;
    vi.advanceTimersByTime(60_000);
    expect(heard).toEqual([10, 20, 30]);
  },
);
