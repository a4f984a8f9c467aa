import { expect, test } from "vitest";
import { createHumanBackend } from "../../../src/agents/backends/human/human-backend.ts";
import type { AgentSession, TurnUpdate } from "../../../src/contracts/backend.ts";
import { createRecordingClient, createTurnRequest } from "../../../src/testing/turn-request.ts";

function openSession(): Promise<AgentSession> {
  const spec = { id: "ann", backend: "human" };
  return createHumanBackend().open({ run: "run_a", spec, session: "s", cwd: "/", env: {} });
}

/** A client whose person is asked and never answers. */
function askedAndSilent() {
  const asked = Promise.withResolvers<string>();
  const client = createRecordingClient({
    ask: (question) => {
      asked.resolve(question);
      return new Promise(() => {});
    },
  });
  return { client, asked: asked.promise };
}

async function updatesOf(turn: AsyncIterable<TurnUpdate>): Promise<readonly TurnUpdate[]> {
  const updates: TurnUpdate[] = [];
  for await (const update of turn) updates.push(update);
  return updates;
}

test("a turn asks its prompt, messages included, and its answer is the final text to the letter [AGT-3.human]", async () => {
  const session = await openSession();
  const client = createRecordingClient({ ask: async () => "  yes\n" });
  const updates = await updatesOf(
    session.prompt(
      createTurnRequest({ prompt: "1 new message\n\nWhich?", task: "Which?", client }),
    ),
  );
  expect(client.calls).toEqual([{ method: "ask", input: "1 new message\n\nWhich?" }]);
  expect(updates.at(-1)).toEqual({ type: "stop", reason: "end_turn", text: "  yes\n" });
});

test("whoever is asked again is told why [ENG-8]", async () => {
  const session = await openSession();
  const client = createRecordingClient();
  const request = createTurnRequest({ prompt: "Which?", previousError: "no match", client });
  await updatesOf(session.prompt(request));
  expect(client.calls).toEqual([
    { method: "ask", input: "The attempt before this one did not pass: no match\n\nWhich?" },
  ]);
});

test("a turn that is cut off while the person thinks stops as cancelled [AGT-2, ENG-6]", async () => {
  const session = await openSession();
  const { client, asked } = askedAndSilent();
  const controller = new AbortController();
  const updates = updatesOf(
    session.prompt(createTurnRequest({ prompt: "Which?", client, signal: controller.signal })),
  );
  expect(await asked).toBe("Which?");
  controller.abort(new Error("enough"));
  expect(await updates).toEqual([{ type: "stop", reason: "cancelled" }]);
});

test("a turn that is cut off before it begins asks nobody [AGT-2]", async () => {
  const session = await openSession();
  const client = createRecordingClient();
  const request = createTurnRequest({ client, signal: AbortSignal.abort() });
  expect(await updatesOf(session.prompt(request))).toEqual([{ type: "stop", reason: "cancelled" }]);
  expect(client.calls).toEqual([]);
});

test("closing the session ends the turn that waits, and then it takes none [AGT-2]", async () => {
  const session = await openSession();
  const { client, asked } = askedAndSilent();
  const updates = updatesOf(session.prompt(createTurnRequest({ client })));
  await asked;
  await session.close();
  expect(await updates).toEqual([{ type: "stop", reason: "cancelled" }]);
  expect(await updatesOf(session.prompt(createTurnRequest()))).toMatchObject([{ type: "error" }]);
});

test("a question that cannot be asked fails the turn with its code", async () => {
  const session = await openSession();
  const client = createRecordingClient({
    ask: async () => {
      throw new Error("the journal is full");
    },
  });
  const [end] = await updatesOf(session.prompt(createTurnRequest({ client })));
  expect(end).toMatchObject({ type: "error", error: { message: "the journal is full" } });
});

test("a person has no model [AGT-14]", async () => {
  const { check } = createHumanBackend();
  expect(await check({ id: "ann", backend: "human" })).toEqual([]);
  expect(await check({ id: "ann", backend: "human", model: "gpt-5" })).toMatchObject([
    { hint: expect.stringContaining("remove model") },
  ]);
});
