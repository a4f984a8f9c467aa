import { describe, expect, test } from "vitest";
import { readSignals } from "../../src/signals/read-signals.ts";
import { refusedOfRole } from "../../src/signals/role-signals.ts";
import { parseDeposit, readTags } from "../../src/signals/signal-forms.ts";

/** What the only signal of a text says, or why it is refused. */
function read(given: string) {
  const { signals, refused } = readSignals(given);
  const [signal] = signals;
  return refused[0]?.reason ?? { ...signal };
}

describe("numbers", () => {
  test.each(["0.7", "7", "+7", "-7", "7.", ".7", "1e3", "1E-3", "1.5e+2", "9".repeat(20)])(
    "%s is one [SIG-4]",
    (number) => {
      expect(read(`FITNESS: ${number} fine`)).toMatchObject({ value: `${number} fine` });
    },
  );

  test.each([
    ".",
    "",
    "0x10",
    "1_000",
    "1,5",
    "1e",
    "1e400",
    "--1",
    "1.2.3",
    "Infinity",
    "9".repeat(21),
    "x1",
    "1x",
  ])("%j is none [SIG-4]", (number) => {
    expect(read(`FITNESS: ${number}`)).toMatch(/^needs a number, got /);
  });

  test.each(["0", "1", "0.5", "1e-3"])("%s is a confidence [SIG-8]", (written) => {
    for (const given of [`DONE [confidence=${written}]: x`, `BID: [confidence=${written}] x`])
      expect(read(given)).toMatchObject({ confidence: Number(written) });
  });

  test.each(["1.01", "-0.01", "high", ""])("%j is none [SIG-8]", (written) => {
    expect(read(`BID: [confidence=${written}] x`)).toBe(
      `confidence must be a number from 0 to 1, got "${written}"`,
    );
  });

  test.each([
    ["0% begun", true],
    ["100% done", true],
    ["  40 % half", true],
    ["40.5%", true],
    ["-1%", false],
    ["100.1%", false],
    ["40  %", false],
    ["at 40%", false],
    ["40", false],
    ["%", false],
  ])("PROGRESS: %s counts: %s [SIG-4]", (payload, isRead) => {
    expect(typeof read(`PROGRESS: ${payload}`) === "object").toBe(isRead);
  });
});

describe("votes", () => {
  test.each([
    ["approve", "approve", undefined],
    ["Reject", "reject", undefined],
    ["approve.", "approve", undefined],
    ["approve: it works", "approve", "it works"],
    ["approve – it works", "approve", "it works"],
    ["approve, -- it works", "approve", "it works"],
    ["approve\nit works", "approve", "it works"],
    ["approve  notes follow", "approve", "notes follow"],
    ["approve nothing is missing", "approve", "nothing is missing"],
    ["reject orders are lost", "reject", "orders are lost"],
    ["approve android is fine", "approve", "android is fine"],
  ])("%j is %s because of %s [SIG-8]", (payload, value, reason) => {
    expect(read(`VOTE: ${payload}`)).toEqual({
      kind: "vote",
      value,
      ...(reason === undefined ? {} : { reason }),
      by: "text",
    });
  });

  test.each([
    "I approve",
    "approve.it works",
    "approve!",
    "approve,",
    "approve and reject",
    "approve not yet",
    "approve no",
    "approve but not now",
    "approve | reject",
    "approve / reject",
    "approve , reject",
    "approve reject",
    "reject Approve",
    "approve OR reject",
  ])("%j is neither one nor the other [SIG-8]", (payload) => {
    expect(read(`VOTE: ${payload}`)).toBe(`a vote is approve or reject, got "${payload}"`);
  });
});

describe("targets", () => {
  test.each([
    ["billing", "billing", undefined],
    ["@billing: refund it", "billing", "refund it"],
    ["billing, refund it", "billing", "refund it"],
    ["billing.\nrefund it", "billing", "refund it"],
    ["billing;", "billing", undefined],
  ])("%j goes to %s with %s [SIG-1]", (payload, value, reason) => {
    const signal = { value, ...(reason === undefined ? {} : { reason }), by: "text" };
    expect(read(`HANDOFF: ${payload}`)).toEqual({ kind: "handoff", ...signal });
    expect(read(`AWARD: ${payload}`)).toEqual({ kind: "award", ...signal });
  });

  test.each(["@@billing", "bil@ling", "bil:ling", "billing::", "1st", "constructor", "the-one!"])(
    "%s is no agent [SIG-4]",
    (payload) => {
      expect(read(`HANDOFF: ${payload}`)).toBe(`needs the id of an agent, got "${payload}"`);
    },
  );
});

describe("deposits", () => {
  test.each([
    [" src/auth 2.5 hot", { namespace: undefined, key: "src/auth", amount: 2.5 }],
    [" [namespace=heat] src/auth -1", { namespace: "heat", key: "src/auth", amount: -1 }],
    [` ${"k".repeat(200)}\n1`, { namespace: undefined, key: "k".repeat(200), amount: 1 }],
    [" [amount=3] 1", { namespace: undefined, key: "[amount=3]", amount: 1 }],
    [" ", { refused: "needs a key and a number, got nothing" }],
    [" 7", { refused: 'needs a key and a number, got "7"' }],
    [" key 2x", { refused: 'needs a key and a number, got "key 2x"' }],
    [` ${"k".repeat(201)} 1`, { refused: "a key has at most 200 characters, got 201" }],
  ])("%j says as much [SIG-4]", (payload, deposit) => {
    expect(parseDeposit(payload)).toEqual(deposit);
    expect(read(`DEPOSIT:${payload}`)).toEqual(
      "refused" in deposit
        ? deposit.refused
        : { kind: "deposit", value: payload.trim(), by: "text" },
    );
  });
});

describe("tags", () => {
  const known = ["cost", "time"];

  test.each([
    [
      " [cost=3] [time= 2m ]\t[cost=4] x",
      [
        ["cost", "3"],
        ["time", "2m"],
      ],
      "\t[cost=4] x",
    ],
    ["[price=3] x", [], "[price=3] x"],
    ["x [cost=3]", [], "x [cost=3]"],
    ["\n[cost=3] x", [], "\n[cost=3] x"],
    ["[cost=3\n] x", [], "[cost=3\n] x"],
    ["[Cost=3] x", [], "[Cost=3] x"],
    ["[cost=] x", [["cost", ""]], " x"],
    [`[cost=${"3".repeat(40)}]`, [["cost", "3".repeat(40)]], ""],
    [`[cost=${"3".repeat(41)}]`, [], `[cost=${"3".repeat(41)}]`],
  ])("%j has those that are known, each once, at its beginning [SIG-1]", (payload, tags, rest) => {
    const reading = readTags(payload, known);
    expect([[...reading.tags], reading.rest]).toEqual([tags, rest]);
  });

  test("a bid keeps them in its value, and a cost is at least nothing [SIG-1]", () => {
    expect(read("BID: [cost=0] x")).toEqual({ kind: "bid", value: "[cost=0] x", by: "text" });
    expect(read("BID: [cost=-1] x")).toBe('cost must be a number of 0 or more, got "-1"');
    expect(read("BID: [cost=much] x")).toBe('cost must be a number of 0 or more, got "much"');
  });
});

test("of a long payload its author is shown the beginning", () => {
  expect(read(`FITNESS: ${"x".repeat(60)}`)).toBe(`needs a number, got "${"x".repeat(60)}"`);
  expect(read(`FITNESS: ${"x".repeat(61)}`)).toBe(`needs a number, got "${"x".repeat(60)}…"`);
  const { refused } = readSignals(`VOTE: ${"x".repeat(300)}\n`);
  expect(refused[0]?.signal).toEqual({ kind: "vote", value: "x".repeat(200), by: "text" });
});

test.each([
  ["vote", "only voters vote"],
  ["handoff", "only the agent that holds the task hands it over"],
  ["argument", "only debaters argue"],
  ["concede", "only debaters concede"],
  ["verdict", "only the judge gives a verdict"],
  ["team_done", "only coordinators finish for a team"],
  ["bid", "only bidders bid"],
  ["award", "only the auctioneer awards"],
])("%s belongs to a role", (kind, reason) => {
  expect(refusedOfRole(kind, { signals: [] })).toBe(reason);
  expect(refusedOfRole(kind, { signals: [kind] })).toBeUndefined();
  expect(refusedOfRole(kind, {})).toBeUndefined();
  expect(refusedOfRole("done", { signals: [] })).toBeUndefined();
});
