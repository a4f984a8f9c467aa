import { expect, test } from "vitest";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { TurnClient } from "../../src/contracts/turn-client.ts";
import { approvalHash } from "../../src/engine/operations/person-operations.ts";
import type { Json } from "../../src/foundation/json.ts";
import { createCuttableStore } from "../../src/testing/journal-cuts.ts";
import { createManualClock, settle } from "../../src/testing/manual-clock.ts";
import {
  type AgentsRun,
  type AgentsRunOptions,
  agent,
  playedBackend,
  runAgents,
  said,
} from "../agents/agents-run.ts";

const RUN = "run_agents";
const PUSH = { message: "Push 3 files?", show: { files: ["a", "b", "c"] } };

const request = (client: TurnClient, input: Json = PUSH) =>
  client.callTool("approval_request", input);

/** One agent whose turns are played; two of them, the second when the first is over. */
function runAsking(
  play: (client: TurnClient, turn: number) => Promise<Json>,
  options: Partial<AgentsRunOptions> = {},
) {
  const backend = playedBackend(async function* ({ client, turn }) {
    yield said(JSON.stringify(await play(client, turn)));
  });
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a"));
    const first = await context.turn("a", "go", { timeoutMs: 1000 });
    return [first.text, (await context.turn("a", "again")).text].map((text) => JSON.parse(text));
  };
  return { run: runAgents(program, { backend, ...options }), backend };
}

function openIds({ owned }: AgentsRun): readonly string[] {
  return [...owned.state.inbox.keys()];
}

async function decide(run: AgentsRun, decision: "approved" | "rejected", comment?: string) {
  const [approval = ""] = openIds(run);
  const item = run.owned.state.inbox.get(approval);
  const hash = item?.kind === "approval" ? item.hash : "";
  const why = comment === undefined ? {} : { comment };
  await run.owned.command({ kind: "resolve-approval", approval, decision, hash, ...why }, "ann");
  await settle();
  return approval;
}

test("a call waits for the person, its turn's deadline stands, and the decision is not told twice [MCP-1.tools, ENG-7.running, P14]", async () => {
  const clock = createManualClock();
  const { run, backend } = runAsking(
    async (client, turn) => (turn === 1 ? request(client, { ...PUSH, wait_seconds: 3600 }) : null),
    { clock },
  );
  await clock.advance(600_000);
  expect(run.owned.state.agents.get("a")?.status).toBe("waiting-permission");
  expect([...run.owned.state.inbox.values()]).toMatchObject([
    { kind: "approval", agent: "a", text: PUSH.message, show: PUSH.show, hash: approvalHash(PUSH) },
  ]);
  const approval = await decide(run, "approved", "go ahead");
  expect(await run.over()).toEqual([
    { status: "approved", approval, by: "ann", comment: "go ahead" },
    null,
  ]);
  expect(run.all("message-posted")).toMatchObject([
    { from: "user", to: ["a"], text: `${approval} approved: "Push 3 files?"\ngo ahead` },
  ]);
  expect(backend.prompts[1]?.prompt).toBe("again");
  expect(clock.timerCount).toBe(0);
});

test("after wait_seconds the call says so; calling again waits for the same request [MCP-1.tools]", async () => {
  const clock = createManualClock();
  const { run } = runAsking(
    async (client, turn) => {
      if (turn === 2) return null;
      const waiting = await request(client);
      expect(run.owned.state.activity.waitingTurns).toBe(0);
      return [waiting, await request(client, { ...PUSH, wait_seconds: 5 }), await request(client)];
    },
    { clock },
  );
  await clock.advance(50_000);
  expect(openIds(run)).toHaveLength(1);
  await clock.advance(5000);
  expect(run.owned.state.activity.waitingTurns).toBe(1);
  const approval = await decide(run, "rejected", "not on a Friday");
  const waiting = { status: "waiting", approval, note: expect.stringContaining("call again") };
  expect(await run.over()).toEqual([
    [waiting, waiting, { status: "rejected", approval, by: "ann", comment: "not on a Friday" }],
    null,
  ]);
  expect(run.all("approval-deferred")).toHaveLength(2);
});

test("a decision that comes when nobody waits is a message; asking again then gives it, and later asks anew [MCP-1.tools, T15, P14]", async () => {
  const answers: Json[] = [];
  const backend = playedBackend(async function* ({ client, turn }) {
    answers.push(await request(client, { ...PUSH, wait_seconds: 0 }));
    yield said(`turn ${turn}`);
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { session: "keep" }));
      await context.turn("a", "go");
      await context.turn("a", "go on");
      await context.sleep(60_000);
      return null;
    },
    { backend },
  );
  await settle();
  expect(openIds(run)).toHaveLength(1);
  const approval = await decide(run, "approved");
  expect(backend.prompts[2]?.prompt).toContain(`> ${approval} approved: "Push 3 files?"`);
  const decided = { status: "approved", approval, by: "ann" };
  expect(answers).toMatchObject([{ status: "waiting", approval }, { approval }, decided]);
  // One decision for one deed: the turn that was told is over.
  await run.owned.command({ kind: "send", text: "once more", to: ["a"], key: "k" }, "user");
  await settle();
  const [next] = openIds(run);
  expect(next).not.toBe(approval);
  expect(answers.at(-1)).toMatchObject({ status: "waiting", approval: next });
  run.owned.interrupt(130);
  await run.owned.parted;
});

test("a decision is bound to what was shown: another message or show is another request [T15]", async () => {
  const { run } = runAsking(async (client, turn) => {
    if (turn === 2) return null;
    const asked = [PUSH, { ...PUSH, show: null }, { message: PUSH.message }, { message: "Push?" }];
    const answers = asked.map((input) => request(client, { ...input, wait_seconds: 0 }));
    return Promise.all(answers);
  });
  await run.over();
  expect(new Set(run.all("approval-requested").map(({ approval }) => approval)).size).toBe(4);
  expect(new Set(run.all("approval-requested").map(({ hash }) => hash)).size).toBe(4);
});

test("--approve decides nothing that an agent asks for [T15]", async () => {
  const clock = createManualClock();
  const { run } = runAsking(async (client) => request(client), { approvals: "all", clock });
  await clock.advance(50_000);
  expect(run.all("approval-resolved")).toEqual([]);
  await clock.advance(50_000);
  await run.over();
  // Nobody can use a decision any more.
  expect(run.owned.state.inbox.size).toBe(0);
  expect(run.owned.state.unanswered).toMatchObject([{ kind: "approval", agent: "a" }]);
});

test("parallel calls for the same wait together and both get the decision [MCP-1.tools]", async () => {
  const clock = createManualClock();
  const { run } = runAsking(
    async (client, turn) =>
      turn === 1
        ? Promise.all([5, 50, 50].map((s) => request(client, { ...PUSH, wait_seconds: s })))
        : null,
    { clock },
  );
  await clock.advance(5000);
  expect(run.owned.state.activity.waitingTurns).toBe(1);
  const approval = await decide(run, "approved");
  const approved = { status: "approved", approval, by: "ann" };
  expect(await run.over()).toMatchObject([[{ status: "waiting" }, approved, approved], null]);
  expect(run.all("approval-requested")).toHaveLength(1);
});

test("an agent asks for so much at a time and no more [T15]", async () => {
  const { run } = runAsking(async (client, turn) => {
    if (turn === 2) return null;
    const ask = (index: number) => request(client, { message: `${index}?`, wait_seconds: 0 });
    for (let index = 1; index <= 10; index += 1) await ask(index);
    await ask(3);
    return ask(11).catch(({ code }) => code);
  });
  expect(await run.over()).toEqual(["AGENT_TOO_MANY_APPROVALS", null]);
});

test("the end of the turn ends the wait; what it asked for stays open and holds the run until it is decided [MCP-1.tools]", async () => {
  const clock = createManualClock();
  const refused: unknown[] = [];
  const backend = playedBackend(async function* ({ client, turn }) {
    if (turn === 1) {
      request(client).catch((error: unknown) => refused.push(error));
      await settle();
    }
    yield said("gone");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { session: "keep" }));
      await context.turn("a", "go");
      await context.quiescent({ quietMs: 1000 });
      return null;
    },
    { backend, clock },
  );
  await clock.advance(600_000);
  expect(refused).toMatchObject([{ code: "AGENT_NO_TURN" }]);
  expect(run.owned.state.activity.waitingTurns).toBe(0);
  const approval = await decide(run, "approved");
  await clock.advance(1000);
  await run.over();
  expect(backend.prompts[1]?.prompt).toContain(`> ${approval} approved`);
  expect(clock.timerCount).toBe(0);
});

test("without a terminal a run whose agent waits is suspended; the decision is recorded and the turn gets it at resume [ENG-18, ENG-19]", async () => {
  const store = createCuttableStore();
  const play = (client: TurnClient) => request(client);
  const { run } = runAsking(play, { store, suspendsWhenWaiting: true });
  const parting = await run.owned.parted;
  expect(parting).toMatchObject({
    status: "suspended",
    event: { reason: "waiting", exitCode: 3, waitingFor: [{ kind: "approval", agent: "a" }] },
  });
  const resumed = runAsking(play, { store }).run;
  await settle();
  expect(openIds(resumed)).toHaveLength(1);
  const approval = await decide(resumed, "approved");
  await settle();
  // Its second turn asks for something of its own.
  const second = await decide(resumed, "rejected");
  expect(await resumed.over()).toMatchObject([
    { status: "approved", approval },
    { status: "rejected", approval: second },
  ]);
  expect(second).not.toBe(approval);
});

test("killed after every commit, a person is asked once for each deed and told once about each decision [ENG-2, P14]", async () => {
  const work = async (run: AgentsRun) => {
    for (let round = 0; round < 3; round += 1) {
      await settle();
      if (openIds(run).length > 0) await decide(run, "approved");
    }
    await settle();
  };
  const play = (client: TurnClient, turn: number) =>
    turn === 1 ? request(client, { ...PUSH, wait_seconds: 3600 }) : Promise.resolve(null);
  const store = createCuttableStore();
  const whole = runAsking(play, { store }).run;
  await work(whole);
  const expected = await whole.over();
  for (const cut of store.commits(RUN).slice(0, -1)) {
    const rest = await store.cutAfter(RUN, cut);
    const run = runAsking(play, { store: rest }).run;
    await work(run);
    const parting = await run.owned.parted;
    expect(parting.event).toMatchObject({ type: "run-ended", result: expected });
    const types = [...rest.open(RUN, "read").read()].map(({ type }) => type);
    const count = (wanted: string) => types.filter((type) => type === wanted).length;
    expect([count("approval-resolved"), count("message-posted")]).toEqual([1, 1]);
    expect(run.owned.state.mailboxes.get("a")?.items.size).toBe(0);
  }
});

test("owners may die any number of times while a person thinks about an approval [ENG-2, P14]", async () => {
  const play = (client: TurnClient, turn: number) =>
    turn === 1 ? request(client, { ...PUSH, wait_seconds: 3600 }) : Promise.resolve(null);
  let store = createCuttableStore();
  const ids = new Set<string>();
  for (let life = 1; life <= 5; life += 1) {
    const { run } = runAsking(play, { store });
    await settle();
    for (const id of openIds(run)) ids.add(id);
    const seq = run.events.at(-1)?.seq ?? 0;
    run.owned.interrupt(130);
    await run.owned.parted;
    store = await store.cutAfter(RUN, seq);
  }
  expect(ids.size).toBe(1);
  const { run } = runAsking(play, { store });
  await settle();
  await decide(run, "approved");
  expect(await run.over()).toMatchObject([{ status: "approved" }, null]);
});

test("how much an agent asks for at a time is counted for it alone, and a request is its own [T15]", async () => {
  const seen: Json[] = [];
  const backend = playedBackend(async function* ({ agent: id, client }) {
    await client.post({ text: "@user which?" });
    const asked =
      id === "b" ? ["same"] : ["same", ...Array.from({ length: 8 }, (_, at) => `m${at}`)];
    for (const message of asked) seen.push(await request(client, { message, wait_seconds: 0 }));
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      for (const id of ["a", "b"]) await context.spawn(agent(id));
      for (const id of ["a", "b", "a"]) await context.turn(id, "go");
      return null;
    },
    { backend },
  );
  await settle(60);
  expect(run.all("approval-requested").map(({ agent: id }) => id)).toEqual([
    ...[...Array(9).fill("a"), "b"],
  ]);
  expect(seen).toHaveLength(19);
  expect(seen.every((answer) => Reflect.get(Object(answer), "status") === "waiting")).toBe(true);
  run.owned.interrupt(130);
  await run.owned.parted;
});
