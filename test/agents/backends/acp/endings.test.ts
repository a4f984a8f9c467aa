import { RequestError } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { chunk, type PromptParts } from "./in-memory-agent.ts";
import { openSession, takeTurn } from "./open-session.ts";

const OPEN_CALL = {
  sessionUpdate: "tool_call",
  toolCallId: "c1",
  kind: "execute",
  title: "sleep",
  status: "in_progress",
} as const;

test("a turn that is cut off stops its agent, which stays for the next one [AGT-2, ENG-6]", async () => {
  const opened = await openSession({ prompt: until("cancel") });
  expect(await cutOff(opened)).toEqual({ type: "stop", reason: "cancelled" });
  expect(opened.asked.at(-1)).toEqual({
    method: "session/cancel",
    params: { sessionId: "session-1" },
  });
  expect(opened.programs).toHaveLength(1);
  expect(opened.programs[0]?.hasEnded()).toBe(false);
});

test("an agent that does not stop is ended, and the next turn goes on with its session [AGT-7.crash, ENG-6]", async () => {
  const opened = await openSession({ prompt: until("never") });
  const { clock } = opened;
  const end = cutOff(opened);
  await clock.advance(1999);
  expect(opened.programs[0]?.hasEnded()).toBe(false);
  await clock.advance(1);
  expect(await end).toEqual({ type: "stop", reason: "cancelled" });
  expect(opened.programs[0]?.hasEnded()).toBe(true);

  await cutOff(opened, () => clock.advance(2000));
  expect(opened.programs).toHaveLength(2);
  expect(opened.asked.filter(({ method }) => method === "session/load")).toMatchObject([
    { params: { sessionId: "session-1", cwd: "/project" } },
  ]);
});

test("an agent that is cut off in the middle of a tool is ended with all that the tool began [ENG-6, P11]", async () => {
  const opened = await openSession({
    prompt: async (parts) => {
      await parts.tell(OPEN_CALL);
      return until("cancel")(parts);
    },
  });
  await cutOff(opened);
  expect(opened.programs[0]?.hasEnded()).toBe(true);
});

test("an agent that exits in its turn has not completed it, whatever its exit code [AGT-2, AGT-7.crash]", async () => {
  const opened = await openSession({
    prompt: async ({ tell, exit }) => {
      await tell(chunk("half"));
      exit(0);
      return new Promise(() => {});
    },
  });
  expect((await takeTurn(opened)).at(-1)).toMatchObject({
    type: "error",
    sessionLost: true,
    text: "half",
    error: { code: "BACKEND_EXITED", retryable: true },
  });
});

test.each([
  [new RequestError(-32_000, "Authentication required"), "BACKEND_NOT_SIGNED_IN"],
  [new RequestError(429, "Rate limit exceeded"), "BACKEND_OVERLOADED"],
  [new RequestError(-32_603, "Internal error: 529 overloaded"), "BACKEND_OVERLOADED"],
  [new RequestError(-32_603, "Internal error: HTTP 401 Unauthorized"), "BACKEND_NOT_SIGNED_IN"],
  [new RequestError(400, '{"error":{"message":"no such model"}}'), "BACKEND_PROVIDER_REFUSED"],
  [new RequestError(-32_603, "it fell over at line 1500"), "BACKEND_PROVIDER_FAILED"],
])(
  "a refusal of the agent keeps its meaning, and its session: %s is %s [AGT-2, LOOP-5]",
  async (error, code) => {
    let isFirst = true;
    const opened = await openSession({
      prompt: async ({ tell }) => {
        await tell(chunk("fine"));
        if (!isFirst) return { stopReason: "end_turn" };
        isFirst = false;
        throw error;
      },
    });
    const end = (await takeTurn(opened)).at(-1);
    expect(end).toMatchObject({ type: "error", error: { code } });
    expect(end).not.toHaveProperty("sessionLost");
    expect((await takeTurn(opened, { turn: 2 })).at(-1)).toMatchObject({ type: "stop" });
  },
);

type Opened = Awaited<ReturnType<typeof openSession>>;

/** Cuts a turn off as soon as it says something. */
async function cutOff(opened: Opened, then: () => Promise<void> = async () => {}) {
  const controller = new AbortController();
  const { createTurnRequest } = await import("../../../../src/testing/turn-request.ts");
  const request = createTurnRequest({ signal: controller.signal });
  let last: unknown;
  for await (const update of opened.session.prompt(request)) {
    last = update;
    if (update.type !== "text-delta") continue;
    controller.abort();
    await then();
  }
  return last;
}

function until(what: "cancel" | "never") {
  return async ({ tell, cancelled }: PromptParts) => {
    await tell(chunk("working"));
    if (what === "never") return new Promise<never>(() => {});
    await new Promise((resolve) => cancelled.addEventListener("abort", resolve, { once: true }));
    return { stopReason: "cancelled" as const };
  };
}
