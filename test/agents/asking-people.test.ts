import { expect, test } from "vitest";
import type { PostResult } from "../../src/contracts/message.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { Json } from "../../src/foundation/json.ts";
import { createCuttableStore } from "../../src/testing/journal-cuts.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import { type AgentsRun, agent, gate, playedBackend, runAgents, said } from "./agents-run.ts";

const RUN = "run_agents";

/** A kept agent that asks in its first turn and reads its messages in the next. */
function askingAgent() {
  return playedBackend(async function* ({ client, turn, prompt }) {
    if (turn === 1) await client.post({ text: "@user which database?", threadId: "db" });
    yield said(turn === 1 ? "asked" : `read: ${prompt}`);
  });
}

const program = async (context: Context): Promise<Json> => {
  await context.spawn(agent("a", { session: "keep" }));
  await context.turn("a", "go");
  await context.approval({ message: "Go on?" });
  return null;
};

function questions({ owned }: Pick<AgentsRun, "owned">): readonly string[] {
  return [...owned.state.inbox.values()].flatMap(({ kind, id }) => (kind === "question" ? id : []));
}

test("@user in a message of an agent is a question; the answer is one direct message that wakes it [MSG-4]", async () => {
  const backend = askingAgent();
  const run = runAgents(program, { backend });
  await settle();
  const [posted] = run.all("message-posted");
  expect(run.all("question-asked")).toMatchObject([
    { agent: "a", message: posted?.id, text: "@user which database?" },
  ]);
  expect(run.all("question-asked")[0]).not.toHaveProperty("turn");
  const [id = ""] = questions(run);
  await run.owned.command({ kind: "answer-question", id, answer: "SQLite" }, "user");
  await settle();
  expect(run.all("message-posted").slice(1)).toMatchObject([
    { from: "user", to: ["a"], text: "SQLite", threadId: "db" },
  ]);
  expect(backend.prompts.at(-1)?.prompt).toContain("user directly to a");
  expect(backend.prompts.at(-1)?.prompt).toContain("> SQLite");
  const again = { kind: "answer-question", id, answer: "Postgres" } as const;
  await expect(run.owned.command(again, "ben")).rejects.toMatchObject({
    code: "ENGINE_ITEM_RESOLVED",
    message: expect.stringMatching(/"SQLite" by user at \d{4}-\d\d-\d\dT/),
  });
  expect(run.all("message-posted")).toHaveLength(2);
  expect(run.owned.state.inbox.size).toBe(1);
  run.owned.interrupt(130);
  await run.owned.parted;
});

test.each([
  { what: "the system asks", from: "system", asked: 0 },
  { what: "the person writes to herself", from: "user", asked: 0 },
])("when $what, nobody is asked [MSG-4]", async ({ from, asked }) => {
  const backend = playedBackend(async function* () {
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      if (from === "system") await context.post({ text: "@user which?" });
      await context.turn("a", "go");
      await context.approval({ message: "Go on?" });
      return null;
    },
    { backend },
  );
  await settle();
  if (from === "user")
    await run.owned.command({ kind: "send", text: "@user hm", to: ["a"], key: "k" }, "user");
  expect(run.all("question-asked")).toHaveLength(asked);
  run.owned.interrupt(130);
  await run.owned.parted;
});

test("a direct message to the person asks too, and the agent learns the id once per message", async () => {
  const receipts: PostResult[] = [];
  const backend = playedBackend(async function* ({ client }) {
    receipts.push(await client.post({ to: ["user"], text: "@human, @user: may I?" }));
    receipts.push(await client.post({ text: "> @user may I?\nquoted" }));
    const sent = await client.callTool("channel_send", { message: "@user and?" });
    yield said(JSON.stringify(sent));
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      return (await context.turn("a", "go")).text;
    },
    { backend },
  );
  const sent: unknown = JSON.parse(String(await run.over()));
  const [first, second] = run.all("question-asked").map(({ id }) => id);
  expect(run.all("question-asked")).toHaveLength(2);
  expect(receipts.map((receipt) => "question" in receipt && receipt.question)).toEqual([
    first,
    false,
  ]);
  expect(sent).toMatchObject({ question: second });
  // Nobody answered while there was time.
  expect(run.owned.state.unanswered.map(({ id }) => id)).toEqual([first, second]);
});

test("an answer without text is refused and the question stays open", async () => {
  const run = runAgents(program, { backend: askingAgent() });
  await settle();
  const [id = ""] = questions(run);
  await expect(
    run.owned.command({ kind: "answer-question", id, answer: "  " }, "user"),
  ).rejects.toMatchObject({ code: "MESSAGE_EMPTY" });
  expect(questions(run)).toEqual([id]);
  run.owned.interrupt(130);
  await run.owned.parted;
});

test("killed after every commit, a question is asked once and its answer is posted once [ENG-2, ENG-19, P14]", async () => {
  const store = createCuttableStore();
  const whole = runAgents(program, { backend: askingAgent(), store });
  await settle();
  const [asked = ""] = questions(whole);
  await whole.owned.command({ kind: "answer-question", id: asked, answer: "SQLite" }, "user");
  await settle();
  whole.owned.interrupt(130);
  await whole.owned.parted;
  for (const cut of store.commits(RUN)) {
    const rest = await store.cutAfter(RUN, cut);
    const run = runAgents(program, { backend: askingAgent(), store: rest });
    await settle();
    const [id] = questions(run);
    if (id !== undefined) {
      expect(id).toBe(asked);
      await run.owned.command({ kind: "answer-question", id, answer: "SQLite" }, "user");
      await settle();
    }
    const { messages, resolved } = run.owned.state;
    expect(messages.recent.map(({ from, text }) => [from, text])).toEqual([
      ["a", "@user which database?"],
      ["user", "SQLite"],
    ]);
    expect(resolved.get(asked)).toMatchObject({ answer: "SQLite" });
    run.owned.interrupt(130);
    await run.owned.parted;
    const journal = rest.open(RUN, "read");
    const types = [...journal.read()].map(({ type }) => type);
    expect(types.filter((type) => /^(message-posted|question-)/.test(type)).toSorted()).toEqual([
      "message-posted",
      "message-posted",
      "question-answered",
      "question-asked",
    ]);
  }
});

test("an approval, a permission and two questions of one run are decided each for itself [P14]", async () => {
  const started = gate();
  const backend = playedBackend(async function* ({ agent: id, client }) {
    if (id === "p")
      yield said((await client.requestPermission("Bash", { command: "ls" })).decision);
    else if (id === "q") yield said(await client.ask("Which?"));
    else {
      await client.post({ text: "@human what?" });
      started.open();
      yield said("asked");
    }
  });
  const run = runAgents(
    async (context) => {
      for (const id of ["p", "q", "m"]) await context.spawn(agent(id));
      const [decision, ...turns] = await Promise.all([
        context.approval({ message: "Push?" }),
        ...["p", "q", "m"].map((id) => context.turn(id, "go")),
      ]);
      return [decision.approved, ...turns.map(({ text }) => text)];
    },
    { backend },
  );
  await started.opened;
  await settle();
  const kinds = () => [...run.owned.state.inbox.values()].map(({ kind }) => kind).sort();
  expect(kinds()).toEqual(["approval", "permission", "question", "question"]);
  const find = (match: (item: { kind: string; agent?: string | undefined }) => boolean) =>
    [...run.owned.state.inbox.values()].find(match)?.id ?? "";
  const answer = (id: string, text: string) =>
    run.owned.command({ kind: "answer-question", id, answer: text }, "user");
  await answer(
    find((item) => item.agent === "q"),
    "this",
  );
  expect(kinds()).toEqual(["approval", "permission", "question"]);
  const permission = find(({ kind }) => kind === "permission");
  await run.owned.command(
    { kind: "resolve-permission", id: permission, decision: "denied" },
    "ann",
  );
  expect(kinds()).toEqual(["approval", "question"]);
  await answer(
    find((item) => item.agent === "m"),
    "that",
  );
  expect(kinds()).toEqual(["approval"]);
  const approval = find(({ kind }) => kind === "approval");
  await run.owned.command({ kind: "resolve-approval", approval, decision: "approved" }, "user");
  expect(await run.over()).toEqual([true, "denied", "this", "asked"]);
  expect(run.owned.state.unanswered).toEqual([]);
});

test("owners may die any number of times while a person thinks; nothing is given up [ENG-2, P14]", async () => {
  const backend = playedBackend(async function* ({ client }) {
    yield said(await client.ask("Which?"));
  });
  const asks = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a"));
    return (await context.turn("a", "go")).text;
  };
  let store = createCuttableStore();
  const ids = new Set<string>();
  const since = new Set<number>();
  for (let life = 1; life <= 6; life += 1) {
    const run = runAgents(asks, { backend, store });
    await settle();
    for (const { id, createdAt } of run.owned.state.inbox.values()) {
      ids.add(id);
      since.add(createdAt);
    }
    const seq = run.events.at(-1)?.seq ?? 0;
    run.owned.interrupt(130);
    await run.owned.parted;
    store = await store.cutAfter(RUN, seq);
  }
  expect([ids.size, since.size]).toEqual([1, 1]);
  const run = runAgents(asks, { backend, store });
  const [id = ""] = ids;
  await run.owned.command({ kind: "answer-question", id, answer: "this" }, "user");
  expect(await run.over()).toBe("this");
});

test("a question is shown with at most 60 lines and 50 options, and says how much is missing [AGT-21.lists]", async () => {
  const lines = Array.from({ length: 2000 }, (_, index) => `- option ${index}`);
  const backend = playedBackend(async function* ({ client }) {
    yield said(await client.ask(lines.join("\n"), { options: lines }));
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      return (await context.turn("a", "go")).text;
    },
    { backend },
  );
  await settle();
  const [asked] = run.all("question-asked");
  const shown = lines.slice(0, 60).join("\n");
  const left = lines.join("\n").length - shown.length;
  expect(asked?.text).toBe(`${shown}\n… (${left} characters more are not shown)`);
  expect(asked?.options).toHaveLength(50);
  await run.owned.command({ kind: "answer-question", id: asked?.id ?? "", answer: "1" }, "user");
  await run.over();
});

test("a turn that writes more signals than are read says how many do not count [AGT-21.lists, SIG-7]", async () => {
  const text = "ACK: x\n".repeat(1200);
  const backend = playedBackend(async function* () {
    yield said(text);
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await context.turn("a", "go");
      return null;
    },
    { backend },
  );
  await run.over();
  expect(run.all("log").map((event) => event.text)).toEqual([
    'turn 1 of "a" wrote more signals than are read: the first 200 do not count',
  ]);
});
