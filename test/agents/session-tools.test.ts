import { expect, test } from "vitest";
import type { ContextDoor, ContextVisitor } from "../../src/contracts/context-access.ts";
import { offeredTools } from "../../src/tools/registry.ts";
import { agent, gate, playedBackend, runAgents, said } from "./agents-run.ts";

/** A door that only remembers whom it let in. */
function rememberingDoor(): ContextDoor & { readonly visitors: ContextVisitor[] } {
  const visitors: ContextVisitor[] = [];
  return {
    visitors,
    open: async (visitor) => {
      visitors.push(visitor);
      const url = "http://127.0.0.1:1/mcp";
      return {
        token: "t",
        url,
        socketPath: "/s",
        mention: () => {},
        renew: () => "",
        close: async () => {},
      };
    },
  };
}

test("processes of a session call tools in its running turn, as its agent, and in no other [MCP-3, T3]", async () => {
  const door = rememberingDoor();
  const called = gate();
  const backend = playedBackend(
    async function* ({ agent: id }) {
      if (id === "a") await called.opened;
      yield said("ok");
    },
    { reach: "socket" },
  );
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { session: "keep", tools: ["channel_send", "Bash"] }));
      await context.spawn(agent("b", { session: "keep" }));
      await context.turn("b", "go");
      await context.turn("a", "go");
      await context.approval({ message: "Go on?" });
      return null;
    },
    { backend, contextDoor: door },
  );
  const call = (id: string, message: string) =>
    door.visitors
      .find((visitor) => visitor.agent === id)
      ?.call("channel_send", { message })
      .catch(({ code }) => code);
  await expect.poll(() => door.visitors.map((visitor) => visitor.agent)).toEqual(["b", "a"]);
  expect(door.visitors.map(({ tools }) => tools)).toEqual([
    offeredTools({ channel: true, document: true }),
    ["channel_send"],
  ]);
  await expect.poll(() => run.owned.state.activity.runningTurns).toBe(1);
  expect(await call("a", "mine")).toMatchObject({ sent: true });
  expect(await call("b", "late")).toBe("AGENT_NO_TURN");
  called.open();
  await expect.poll(() => run.owned.state.activity.runningTurns).toBe(0);
  expect(await call("a", "late")).toBe("AGENT_NO_TURN");
  expect(run.all("message-posted").map(({ from, text }) => [from, text])).toEqual([["a", "mine"]]);
  run.owned.interrupt(130);
  await run.owned.parted;
});
