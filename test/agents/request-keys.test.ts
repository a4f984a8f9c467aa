import { expect, test } from "vitest";
import { isOfBefore, RequestKeys, turnKeyOf } from "../../src/agents/request-key.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { TurnClient } from "../../src/contracts/turn-client.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import type { Json } from "../../src/foundation/json.ts";
import { createCuttableStore } from "../../src/testing/journal-cuts.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import { agent, playedBackend, runAgents, said } from "./agents-run.ts";

const RUN = "run_agents";

const program = async (context: Context): Promise<Json> => {
  await context.spawn(agent("a"));
  await context.spawn(agent("b"));
  return (await context.turn("a", "go")).text;
};

type Work = (client: TurnClient) => Promise<unknown>;

/** A turn that does `first`, is cut off by the death of its owner, and does `second` when it starts again. */
async function cutOffAfter(first: Work, second: Work, lead: typeof program = program) {
  const store = createCuttableStore();
  const dying = runAgents(lead, {
    backend: playedBackend(async function* ({ client, signal }) {
      await first(client);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield { type: "stop", reason: "cancelled" };
    }),
    store,
  });
  await settle();
  const seq = dying.events.at(-1)?.seq ?? 0;
  dying.owned.interrupt(130);
  await dying.owned.parted;
  const run = runAgents(lead, {
    backend: playedBackend(async function* ({ client }) {
      yield said(JSON.stringify((await second(client)) ?? null));
    }),
    store: await store.cutAfter(RUN, seq),
  });
  const answer: unknown = JSON.parse(String(await run.over()));
  const { messages, documents, inbox } = run.owned.state;
  return {
    answer,
    before: dying.events,
    run,
    texts: messages.recent.map(({ text }) => text),
    document: documents.byName.get("notes"),
    inbox,
  };
}

const post = (...texts: readonly string[]): Work => {
  return async (client) => {
    const posted = [];
    for (const text of texts) posted.push(await client.post({ text }));
    return posted;
  };
};

test("a turn that starts again and does the same in another order posts nothing twice [MSG-3]", async () => {
  const { texts, answer, before } = await cutOffAfter(
    post("one", "two"),
    post("two", "three", "one"),
  );
  expect(texts).toEqual(["one", "two", "three"]);
  const ids = before.flatMap((event) => (event.type === "message-posted" ? [event.id] : []));
  expect(answer).toMatchObject([{ id: ids[1] }, { status: "posted" }, { id: ids[0] }]);
});

test("what a turn says anew when it starts again is neither swallowed nor given an old receipt [MSG-3]", async () => {
  const { texts, answer } = await cutOffAfter(post("deploy to test"), post("deploy to production"));
  expect(texts).toEqual(["deploy to test", "deploy to production"]);
  expect(answer).toMatchObject([{ status: "posted", seq: expect.any(Number) }]);
});

test("the same text to somebody else, and the same text twice, are messages of their own [MSG-3]", async () => {
  const twice = post("ok", "ok");
  const { texts, run } = await cutOffAfter(twice, async (client) => {
    await twice(client);
    await client.post({ text: "ok", to: ["b"] });
    await client.post({ text: "ok" });
  });
  expect(texts).toEqual(["ok", "ok", "ok", "ok"]);
  const { recent } = run.owned.state.messages;
  expect(recent.map(({ to }) => to)).toEqual([undefined, undefined, ["b"], undefined]);
});

test("parallel calls of a turn that starts again are recognised in whatever order they come [MSG-3]", async () => {
  const calls = ["one", "two", "three", "two"];
  const send = (texts: readonly string[]): Work => {
    return (client) =>
      Promise.all(texts.map((message) => client.callTool("channel_send", { message })));
  };
  const { texts } = await cutOffAfter(send(calls), send(calls.toReversed()));
  expect(texts.toSorted()).toEqual(calls.toSorted());
});

test("a send that was refused as behind keeps its name, so that the one with force is recognised [MSG-6, MSG-3]", async () => {
  const hurried: Work = async (client) => {
    const draft = { text: "my plan", lastSeen: 0 };
    return [await client.post(draft), await client.post({ ...draft, force: true })];
  };
  // The second time it has read what others wrote, so that its first call is the one that posts.
  const { texts, answer } = await cutOffAfter(hurried, post("my plan"), async (context) => {
    await context.post({ text: "news" });
    return program(context);
  });
  expect(texts).toEqual(["news", "my plan"]);
  expect(answer).toMatchObject([{ status: "posted" }]);
});

test("edits of a turn that starts again are made once, and other ones are made [MSG-8]", async () => {
  const { document } = await cutOffAfter(
    async (client) => {
      await client.editDocument({ kind: "append", text: "one\n" });
      await client.editDocument({ kind: "append", text: "two\n", ifRevision: 1 });
    },
    async (client) => {
      await client.editDocument({ kind: "append", text: "two\n" });
      await client.editDocument({ kind: "append", text: "three\n" });
      await client.editDocument({ kind: "append", text: "one\n" });
    },
  );
  expect(document).toMatchObject({ text: "one\ntwo\nthree\n", revision: 3 });
});

test("a question keeps its id when the turn that asks starts again and asks in another order [P14]", async () => {
  const asked: string[][] = [];
  const store = createCuttableStore();
  let current = store;
  for (const order of [
    ["A?", "B?"],
    ["B?", "A?"],
  ]) {
    const run = runAgents(program, {
      backend: playedBackend(async function* ({ client }) {
        await Promise.all(order.map((text) => client.ask(text)));
        yield said("ok");
      }),
      store: current,
    });
    await settle();
    const items = [...run.owned.state.inbox.values()];
    asked.push(items.map(({ id, text }) => `${text} ${id}`).toSorted());
    const seq = run.events.at(-1)?.seq ?? 0;
    run.owned.interrupt(130);
    await run.owned.parted;
    current = await current.cutAfter(RUN, seq);
  }
  expect(asked[0]).toHaveLength(2);
  expect(asked[1]).toEqual(asked[0]);
});

test("a turn that is over takes no more requests: not a post, an edit, a signal or a tool [T3]", async () => {
  let left: TurnClient | undefined;
  const backend = playedBackend(async function* ({ client }) {
    left = client;
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await context.turn("a", "go");
      const late = [
        () => left?.post({ text: "late" }),
        () => left?.editDocument({ kind: "append", text: "late" }),
        () => left?.signal({ kind: "done", value: "" }),
        () => left?.callTool("agents_list", {}),
        () => left?.ask("late?"),
      ];
      const codes = late.map(async (act) =>
        act()?.then(
          () => "done",
          ({ code }) => code,
        ),
      );
      return (await Promise.all(codes)).map(String);
    },
    { backend, clock: systemClock },
  );
  const codes = await run.over();
  expect(codes).toEqual(Array.from({ length: 5 }, () => "AGENT_NO_TURN"));
  expect(run.owned.state.messages.recent).toEqual([]);
});

test("keys tell whose turn asked; the engine's own and those of tools' letters do not", () => {
  expect(turnKeyOf("run_a/turn#1/0123456789abcdef-0")).toBe("run_a/turn#1");
  expect(turnKeyOf("run_a/turn#1/2")).toBe("run_a/turn#1");
  expect(turnKeyOf("run_a/turn#1/announce")).toBeUndefined();
  expect(turnKeyOf("run_a/turn#1/suggest-0123456789abcdef-0")).toBeUndefined();
});

test("equal requests of a turn are told apart by their order, once they are used, and kinds of tools by their name", () => {
  const keys = new RequestKeys("run_a/turn#1");
  const first = keys.of("post", { text: "ok" });
  expect(first.key).toMatch(/^run_a\/turn#1\/[0-9a-f]{32}-0$/);
  expect(keys.of("post", { text: "ok" }).key).toBe(first.key);
  first.use();
  const second = keys.of("post", { text: "ok" });
  expect(second.key).toBe(first.key.replace(/0$/, "1"));
  second.use();
  expect(keys.of("post", { text: "ok" }).key).toBe(first.key.replace(/0$/, "2"));
  expect(keys.of("edit", { text: "ok" }).key).not.toContain(first.key);
  expect(keys.of("collab", {}).key).toMatch(/^run_a\/turn#1\/collab-[0-9a-f]{32}-0$/);
});

test("a request that stands in the journal under the short name of before keeps that", () => {
  const asked: string[] = [];
  const keys = new RequestKeys("t", {
    isOld: (kind, key) => {
      asked.push(`${kind} ${key}`);
      return kind === "post";
    },
  });
  expect(keys.of("post", "a").key).toMatch(/^t\/[0-9a-f]{16}-0$/);
  expect(keys.of("question", "a").key).toMatch(/^t\/[0-9a-f]{32}-0$/);
  expect(asked).toEqual([
    expect.stringMatching(/^post t\/[0-9a-f]{16}-0$/),
    expect.stringMatching(/^question t\/[0-9a-f]{16}-0$/),
  ]);
});

test("what was posted or edited under a key is known by it, and what nobody asked is not", async () => {
  const { run, before } = await cutOffAfter(
    async (client) => {
      await client.post({ text: "one" });
      await client.editDocument({ kind: "append", text: "one\n" });
    },
    async () => null,
  );
  const { state } = run.owned;
  const message = before.flatMap((event) => (event.type === "message-posted" ? event.key : []))[0];
  const [edit = ""] = state.documents.revisionByKey.keys();
  expect([isOfBefore(state, "post", message ?? ""), isOfBefore(state, "edit", edit)]).toEqual([
    true,
    true,
  ]);
  for (const kind of ["post", "edit", "permission", "question"] as const)
    expect(isOfBefore(state, kind, "nothing")).toBe(false);
  expect(isOfBefore(state, "permission", message ?? "")).toBe(false);
});
