import { expect, test } from "vitest";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { TurnClient } from "../../src/contracts/turn-client.ts";
import { approvalHash } from "../../src/engine/operations/person-operations.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import { shortId } from "../../src/foundation/ids.ts";
import { canonicalJson, type Json } from "../../src/foundation/json.ts";
import { seededRandom } from "../../src/foundation/random.ts";
import { createCuttableStore } from "../../src/testing/journal-cuts.ts";
import { createManualClock, settle } from "../../src/testing/manual-clock.ts";
import { agent, playedBackend, runAgents, said } from "./agents-run.ts";

// Ids of 30 bits meet by chance once in some ten thousand: here they are made to.

/** Two different numbers whose names draw the same id. */
function findPair(prefix: string, seedOf: (number: number) => string): readonly [number, number] {
  const drawn = new Map<string, number>();
  for (let number = 0; ; number += 1) {
    const id = shortId(prefix, seededRandom(seedOf(number)));
    const before = drawn.get(id);
    if (before !== undefined) return [before, number];
    drawn.set(id, number);
  }
}

function runClient(work: (client: TurnClient) => Promise<Json>, store = createCuttableStore()) {
  const backend = playedBackend(async function* ({ client, signal }) {
    const cut = new Promise<Json>((resolve) =>
      signal.addEventListener("abort", () => resolve("cut off")),
    );
    yield said(JSON.stringify(await Promise.race([work(client), cut])));
  });
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a"));
    return (await context.turn("a", "go")).text;
  };
  return runAgents(program, { backend, store });
}

/** The name of the turn of `runClient`, as its requests carry it. */
async function turnKey(): Promise<string> {
  const run = runClient(async (client) => {
    const { decision } = await client.requestPermission("Bash", {});
    return decision;
  });
  await settle();
  const [asked] = run.all("permission-requested");
  await run.owned.command({ kind: "cancel", reason: "seen" }, "user");
  await run.owned.parted;
  return (asked?.asker ?? "").replace(/\/[^/]*$/, "");
}

const nameOf = (key: string, kind: string, content: Json) =>
  `seed:${key}/${sha256(`${kind}\n${canonicalJson(content)}`).slice(0, 32)}-0`;

test("permissions whose ids would be the same are decided each by itself", async () => {
  const key = await turnKey();
  const input = (number: number) => ({ command: `rm ${number}` });
  const [first, second] = findPair("prm", (number) =>
    nameOf(key, "permission", { tool: "Bash", input: input(number) }),
  );
  const run = runClient(async (client) => {
    const asked = [first, second].map((number) => client.requestPermission("Bash", input(number)));
    return (await Promise.all(asked)).map(({ decision }) => decision);
  });
  await settle();
  const [one, other] = run.all("permission-requested").map(({ id }) => id);
  expect(one).not.toBe(other);
  for (const [id, decision] of [
    [other, "denied"],
    [one, "allowed"],
  ] as const)
    await run.owned.command({ kind: "resolve-permission", id: id ?? "", decision }, "user");
  expect(await run.over()).toBe('["allowed","denied"]');
});

test("a permission of before the owner's death serves none whose id would be the same", async () => {
  const key = await turnKey();
  const input = (number: number) => ({ command: `rm ${number}` });
  const [first, second] = findPair("prm", (number) =>
    nameOf(key, "permission", { tool: "Bash", input: input(number) }),
  );
  const store = createCuttableStore();
  const never = Promise.withResolvers<Json>();
  const dying = runClient(async (client) => {
    await client.requestPermission("Bash", input(first));
    return never.promise;
  }, store);
  await settle();
  const [id = ""] = dying.all("permission-requested").map((event) => event.id);
  await dying.owned.command({ kind: "resolve-permission", id, decision: "allowed" }, "user");
  await settle();
  const seq = dying.events.at(-1)?.seq ?? 0;
  dying.owned.interrupt(130);
  await dying.owned.parted;
  const run = runClient(
    async (client) => {
      const decisions: string[] = [];
      for (const number of [second, first])
        decisions.push((await client.requestPermission("Bash", input(number))).decision);
      return decisions;
    },
    await store.cutAfter("run_agents", seq),
  );
  await settle();
  const [open] = [...run.owned.state.inbox.values()];
  expect(open).toMatchObject({ kind: "permission", input: input(second) });
  const denial = { kind: "resolve-permission", id: open?.id ?? "", decision: "denied" } as const;
  await run.owned.command(denial, "user");
  await settle();
  // The approval of before was used, so the same call is asked about once more.
  const [repeated] = [...run.owned.state.inbox.values()];
  expect(repeated).toMatchObject({ kind: "permission", input: input(first) });
  await run.owned.command(
    { kind: "resolve-permission", id: repeated?.id ?? "", decision: "allowed" },
    "user",
  );
  expect(await run.over()).toBe('["denied","allowed"]');
});

test("questions whose ids would be the same get each its own answer", async () => {
  const key = await turnKey();
  const [first, second] = findPair("qst", (number) => nameOf(key, "question", `Which ${number}?`));
  const run = runClient(async (client) =>
    Promise.all([first, second].map((number) => client.ask(`Which ${number}?`))),
  );
  await settle();
  const open = [...run.owned.state.inbox.values()];
  expect(open).toHaveLength(2);
  for (const { id, text } of open)
    await run.owned.command({ kind: "answer-question", id, answer: `${text} this` }, "user");
  expect(await run.over()).toBe(`["Which ${first}? this","Which ${second}? this"]`);
});

test("messages to a person whose questions would have the same id are two questions", async () => {
  const key = await turnKey();
  const draft = (number: number) => ({ to: ["user"], text: `Which ${number}?` });
  const [first, second] = findPair(
    "qst",
    (number) => `${nameOf(key, "post", draft(number))}:question`,
  );
  const run = runClient(async (client) => {
    for (const number of [first, second]) await client.post(draft(number));
    return null;
  });
  await run.over();
  expect(run.all("question-asked").map(({ text }) => text)).toEqual([
    `Which ${first}?`,
    `Which ${second}?`,
  ]);
  expect(new Set(run.all("question-asked").map(({ id }) => id)).size).toBe(2);
});

test("approvals that agents ask for and whose ids would be the same are decided each by itself", async () => {
  const message = (number: number) => `Push ${number}?`;
  const [first, second] = findPair(
    "apr",
    (number) => `seed:a:${approvalHash({ message: message(number) })}:0`,
  );
  const run = runClient(async (client) => {
    const ask = (number: number) =>
      client.callTool("approval_request", { message: message(number), wait_seconds: 600 });
    const answers = await Promise.all([ask(first), ask(second)]);
    return answers.map((answer) => JSON.stringify(answer));
  });
  await settle();
  const open = [...run.owned.state.inbox.values()];
  expect(open.map(({ text }) => text)).toEqual([message(first), message(second)]);
  for (const [index, { id: approval }] of open.entries()) {
    const decision = index === 0 ? "approved" : "rejected";
    await run.owned.command({ kind: "resolve-approval", approval, decision }, "user");
  }
  const answers = String(await run.over());
  expect(answers.match(/approved|rejected/g)).toEqual(["approved", "rejected"]);
});

test("a program never gets one id twice, and replay gives the same", async () => {
  const count = 100_000;
  const draw = async (context: Context): Promise<Json> => {
    const ids = Array.from({ length: count }, () => context.newId("task"));
    return [new Set(ids).size, sha256(ids.join())];
  };
  const run = () => {
    const backend = playedBackend(async function* () {
      yield said("");
    });
    return runAgents(draw, { backend, clock: createManualClock() }).over();
  };
  const first = await run();
  expect(first).toMatchObject([count, expect.any(String)]);
  expect(await run()).toEqual(first);
});
