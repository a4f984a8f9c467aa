import { expect, test } from "vitest";
import type { Json } from "../../src/foundation/json.ts";
import { agent, playedBackend, runAgents, said } from "../agents/agents-run.ts";

/** An agent that gets three messages in its prompt and acks some of them before its turn fails. */
async function ackBeforeFailing(choose: (ids: readonly string[], seqs: readonly number[]) => Json) {
  const answers: Json[] = [];
  const backend = playedBackend(async function* ({ client, turn }) {
    if (turn > 1) return yield said("ok");
    const posted = run.all("message-posted");
    const input = choose(
      posted.map(({ id }) => id),
      posted.map(({ seq }) => seq),
    );
    answers.push(await client.callTool("inbox_ack", input));
    yield { type: "stop", reason: "max_turns", text: "cut short" };
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      for (const text of ["one", "two", "three"]) await context.post({ to: ["a"], text });
      await context.turn("a", "go");
      await context.turn("a", "again");
      return null;
    },
    { backend },
  );
  await run.over();
  const again = ["one", "two", "three"].filter((text) =>
    backend.prompts[1]?.prompt.includes(`> ${text}`),
  );
  return { answer: answers[0], again, ids: run.all("message-posted").map(({ id }) => id) };
}

test.each([
  { what: "by id", choose: (ids: readonly string[]) => ({ ids: [...ids.slice(0, 2)] }) },
  { what: "up to an id", choose: ([, second = ""]: readonly string[]) => ({ up_to: second }) },
  {
    what: "up to a seq",
    choose: (_: readonly string[], [, second = 0]: readonly number[]) => ({ up_to: second }),
  },
  {
    what: "up to a seq as text",
    choose: (_: readonly string[], [, second = 0]: readonly number[]) => ({ up_to: `${second}` }),
  },
])(
  "what is acked $what is dealt with at once and does not come again though the turn fails [MSG-3, MCP-1.tools]",
  async ({ choose }) => {
    const { answer, again, ids } = await ackBeforeFailing(choose);
    expect(answer).toEqual({ acked: ids.slice(0, 2) });
    expect(again).toEqual(["three"]);
  },
);

test("acks never move backward, unknown ids are named, and nobody acks for another [MSG-3, T3]", async () => {
  const seen: Json[] = [];
  const backend = playedBackend(async function* ({ agent: id, client }) {
    if (id === "a") {
      const [mine = "", theirs = ""] = run.all("message-posted").map((event) => event.id);
      const ack = (input: Json) => client.callTool("inbox_ack", input);
      seen.push(await ack({ ids: [mine] }));
      seen.push(await ack({ ids: [mine, theirs, "nothing", mine] }));
      seen.push(await ack({ up_to: 1_000_000 }));
      for (const input of [{}, { ids: [mine], up_to: mine }, { up_to: "nothing" }])
        seen.push(await ack(input).catch(({ code }) => code));
      seen.push([mine, theirs]);
    }
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      for (const id of ["a", "b"]) await context.spawn(agent(id));
      for (const id of ["a", "b"]) await context.post({ to: [id], text: `for ${id}` });
      await context.turn("a", "go");
      return [...(run.owned.state.mailboxes.get("b")?.items.keys() ?? [])].length;
    },
    { backend },
  );
  expect(await run.over()).toBe(1);
  const [first, second, third, ...refusals] = seen.slice(0, -1);
  const ids: unknown = seen.at(-1);
  const [mine, theirs] = Array.isArray(ids) ? ids : [];
  expect(first).toEqual({ acked: [mine] });
  expect(second).toEqual({
    acked: [],
    acked_before: [mine],
    unknown: [theirs, "nothing"],
    warning: `no message to you is called ${theirs}, nothing`,
  });
  expect(third).toEqual({ acked: [] });
  expect(refusals).toEqual([
    "AGENT_TOOL_INPUT_INVALID",
    "AGENT_TOOL_INPUT_INVALID",
    "MESSAGE_UNKNOWN",
  ]);
  expect(run.all("message-acked")).toMatchObject([{ agent: "a", ids: [mine] }]);
});
