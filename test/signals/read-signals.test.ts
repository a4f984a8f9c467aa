import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_SIGNALS, readSignals } from "../../src/signals/read-signals.ts";
import { casesOf } from "../cases.ts";

const text = { by: "text" } as const;

function kindsOf(given: string, markers: readonly string[] = []): readonly string[] {
  return readSignals(given, { markers }).signals.map((signal) => signal.kind);
}

describe("standing signals", () => {
  test("every text form is read at the start of a line [SIG-1]", () => {
    const given = [
      "ACK: on it",
      "REFLECT: too slow",
      "HANDOFF: billing refund over 100",
      "ARGUMENT: cheaper",
      "CONCEDE: you are right",
      "VERDICT: the first one",
      "TEAM_DONE: both parts",
      "BID: [confidence=0.8] [cost=3] [time=2m] I know this code",
      "AWARD: tester",
      "DEPOSIT: src/auth 2.5",
      "FITNESS: 0.7",
      "GOSSIP: the cache is stale",
      "PROGRESS: 40% parsing",
      "BLOCKED: no access",
      "FAILED: it does not compile",
      "VOTE: approve fine with me",
      "DONE: all of it",
    ].join("\n");
    expect(readSignals(given)).toEqual({
      signals: [
        { kind: "ack", value: "on it", ...text },
        { kind: "reflect", value: "too slow", ...text },
        { kind: "handoff", value: "billing", reason: "refund over 100", ...text },
        { kind: "argument", value: "cheaper", ...text },
        { kind: "concede", value: "you are right", ...text },
        { kind: "verdict", value: "the first one", ...text },
        { kind: "team_done", value: "both parts", ...text },
        {
          kind: "bid",
          value: "[confidence=0.8] [cost=3] [time=2m] I know this code",
          confidence: 0.8,
          ...text,
        },
        { kind: "award", value: "tester", ...text },
        { kind: "deposit", value: "src/auth 2.5", ...text },
        { kind: "fitness", value: "0.7", ...text },
        { kind: "gossip", value: "the cache is stale", ...text },
        { kind: "progress", value: "40% parsing", ...text },
        { kind: "blocked", value: "no access", ...text },
        { kind: "failed", value: "it does not compile", ...text },
        { kind: "vote", value: "approve", reason: "fine with me", ...text },
        { kind: "done", value: "all of it", ...text },
      ],
      refused: [],
      rest: "",
    });
  });

  test.each([
    ["in the middle of a line", "I am DONE: really"],
    ["in lower case", "done: x"],
    ["in mixed case", "Done: x"],
    ["as part of a longer word", "DONE_: x\nUNDONE: x\nDONES: x"],
    ["without its colon", "DONE\nDONE x"],
    ["with a Cyrillic letter", "D\u041eNE: x"],
    ["with full-width letters", "\uff24\uff2f\uff2e\uff25: x"],
    ["with a full-width colon", "DONE\uff1a x"],
    ["behind a zero-width space", "\u200bDONE: x"],
    ["behind a list marker", "- DONE: x"],
    ["indented as code", "    DONE: x\n\tDONE: x"],
    [
      "after a line separator inside a line",
      "a\u2028DONE: x\u2029DONE: x\u0085DONE: x\vDONE: x\fDONE: x",
    ],
  ])("a keyword %s is no signal [SIG-1]", (_where, given) => {
    expect(readSignals(given)).toEqual({ signals: [], refused: [], rest: given.trim() });
  });

  test.each([
    ["after CRLF", "notes\r\nDONE: x\r\nmore"],
    ["after a lone CR", "notes\rDONE: x"],
    ["behind up to three spaces", "   DONE: x"],
    ["behind a byte order mark", "\uFEFFDONE: x"],
  ])("a keyword %s is a signal [SIG-1, P15]", (_where, given) => {
    expect(kindsOf(given)).toEqual(["done"]);
  });

  test("vote values count in any case, keywords in upper case only [SIG-8]", () => {
    for (const reason of [": fine", ", fine", " - fine", ". fine", " fine", "; fine", "\nfine"])
      expect(readSignals(`VOTE: approve${reason}`).signals).toMatchObject([
        { value: "approve", reason: "fine" },
      ]);
    expect(readSignals("VOTE: reject.").signals).toEqual([
      { kind: "vote", value: "reject", ...text },
    ]);
    expect(readSignals("VOTE: APPROVE — tested it\nvote: reject").signals).toEqual([
      { kind: "vote", value: "approve", reason: "tested it\nvote: reject", ...text },
    ]);
  });

  test("a confidence tag counts on the line of DONE, not alone on a line [SIG-8]", () => {
    expect(readSignals("DONE [confidence=0.4]: it works").signals).toEqual([
      { kind: "done", value: "it works", confidence: 0.4, ...text },
    ]);
    expect(readSignals("DONE: [confidence=1] it works").signals).toEqual([
      { kind: "done", value: "it works", confidence: 1, ...text },
    ]);
    expect(readSignals("DONE: it works\n[confidence=0.4]").signals).toEqual([
      { kind: "done", value: "it works\n[confidence=0.4]", ...text },
    ]);
    expect(readSignals("DONE:\n[confidence=0.4] it works").signals[0]?.confidence).toBeUndefined();
    expect(readSignals("DONE[confidence=0.4] : x").signals).toMatchObject([{ confidence: 0.4 }]);
    expect(kindsOf("BID [confidence=0.4]: x\nACK [confidence=0.4]: y")).toEqual([]);
  });
});

describe("payloads", () => {
  test("a payload goes on to the next signal or the end; an empty one is fine [SIG-4]", () => {
    const given = "intro\nACK: first\nsecond\n\n```\nDONE: not this\n```\nDONE:\n";
    expect(readSignals(given)).toEqual({
      signals: [
        { kind: "ack", value: "first\nsecond\n\n```\nDONE: not this\n```", ...text },
        { kind: "done", value: "", ...text },
      ],
      refused: [],
      rest: "intro\nsecond\n\n```\nDONE: not this\n```",
    });
  });

  test.each([
    ["DONE [confidence=1.5]: x", 'confidence must be a number from 0 to 1, got "1.5"'],
    ["DONE [confidence=-0.1]: x", 'confidence must be a number from 0 to 1, got "-0.1"'],
    ["DONE [confidence=NaN]: x", 'confidence must be a number from 0 to 1, got "NaN"'],
    ["DONE [confidence=1e999]: x", 'confidence must be a number from 0 to 1, got "1e999"'],
    ["DONE [confidence=]: x", 'confidence must be a number from 0 to 1, got ""'],
    ["BID: [cost=Infinity] x", 'cost must be a number of 0 or more, got "Infinity"'],
    ["VOTE: maybe", 'a vote is approve or reject, got "maybe"'],
    ["VOTE: approved", 'a vote is approve or reject, got "approved"'],
    ["VOTE: approve-not", 'a vote is approve or reject, got "approve-not"'],
    ["VOTE: approve? no: reject", 'a vote is approve or reject, got "approve? no: reject"'],
    ["VOTE: approve|reject", 'a vote is approve or reject, got "approve|reject"'],
    ["VOTE: approve or reject", 'a vote is approve or reject, got "approve or reject"'],
    ["VOTE: approve, not", 'a vote is approve or reject, got "approve, not"'],
    ["VOTE: approve\u2011not", 'a vote is approve or reject, got "approve\u2011not"'],
    ["VOTE: reject/approve", 'a vote is approve or reject, got "reject/approve"'],
    ["VOTE:", "a vote is approve or reject, got nothing"],
    ["HANDOFF:", "needs the id of an agent, got nothing"],
    ["AWARD: ../x", 'needs the id of an agent, got "../x"'],
    ["DEPOSIT: key", 'needs a key and a number, got "key"'],
    ["DEPOSIT: key 1e400", 'needs a key and a number, got "key 1e400"'],
    ["FITNESS: good", 'needs a number, got "good"'],
    ["PROGRESS: 101% x", 'needs a percentage from 0% to 100%, got "101% x"'],
    ["PROGRESS: soon", 'needs a percentage from 0% to 100%, got "soon"'],
  ])("%s is refused with a reason and stays in the rest [SIG-4]", (given, reason) => {
    const reading = readSignals(given);
    expect(reading.signals).toEqual([]);
    expect(reading.refused.map((refusal) => refusal.reason)).toEqual([reason]);
    expect(reading.rest).toBe(given);
  });
});

describe("what the author does not say itself", () => {
  test.each([
    ["a quote", "> DONE: x"],
    ["a nested quote", " >> DONE: x"],
    ["a quote that a lone CR seems to end", "> a\rDONE: x"],
    ["a fence of backticks", "```\nDONE: x\n```"],
    ["a fence of tildes", "~~~ text\nDONE: x\n~~~"],
    ["a long fence around a shorter one", "`````\n```\nDONE: x\n```\nDONE: y\n`````"],
    ["a fence of the other kind inside", "~~~\n```\n~~\nDONE: x\n~~~"],
    ["a fence with CRLF", "```\r\nDONE: x\r\n```\r\n"],
    ["a fence that nobody closes", "```\nDONE: x\n\nDONE: y"],
    ["a fence that is closed too far in", "```\nx\n     ```\nDONE: x"],
    ["a fence whose end has text behind it", "```\n``` no\nDONE: x"],
    ["a fence in a list", "- ```\n  DONE: x\n  ```\n1. a\n   ~~~\n   DONE: y\n   ~~~"],
    ["a comment of HTML", "<!--\nDONE: x\n-->"],
    ["a comment that begins in a line", "see <!-- this\n\nDONE: x\n--> there"],
    ["a comment behind a comment", "<!-- a --> b <!--\nDONE: x\n-->"],
    ["a comment that nobody closes", "  <!--\nDONE: x"],
    ["pre", "<pre>\nDONE: x\n\nDONE: y\n</pre>"],
    ["pre in other letters", '<PRE class="a">\nDONE: x\n</Pre >'],
    ["script", "<script>\nDONE: x\n</script>"],
    ["code in the middle of a line", "I ran <code>\nDONE: x\n</code>"],
    ["style, textarea, template", "<style>\nDONE: x\n</style><textarea>\nDONE: y\n</textarea>"],
    ["a quotation of HTML", "<blockquote>\nDONE: x\n</blockquote>"],
    ["a section of XML", "<![CDATA[\nDONE: x\n]]>"],
    ["an instruction of XML", "<?php\nDONE: x\n?>"],
    ["an indented fence", "      ```\nDONE: x\n      ```"],
  ])("a signal in %s does not count [SIG-3, T4]", (_where, given) => {
    expect(readSignals(given)).toEqual({ signals: [], refused: [], rest: given.trim() });
  });

  test("what follows a closed fence, a quote or inline backticks counts again [SIG-3]", () => {
    expect(kindsOf("```\nDONE: x\n```\nACK: y")).toEqual(["ack"]);
    expect(kindsOf("> DONE: x\nACK: y")).toEqual(["ack"]);
    expect(kindsOf("<!-- x -->\nDONE: x")).toEqual(["done"]);
    expect(kindsOf("<pre>\nx\n</pre>\nDONE: x")).toEqual(["done"]);
    expect(kindsOf("I took the <pre> and the <!-- away.\nDONE: x")).toEqual(["done"]);
    expect(kindsOf("```\n<!--\n```\nDONE: <b>x</b>\n<prefix>")).toEqual(["done"]);
    expect(kindsOf("```VOTE: reject``` is wrong\nACK: y")).toEqual(["ack"]);
  });
});

describe("markers of steps", () => {
  test("a marker counts with a payload or alone on its line [SIG-1]", () => {
    const markers = ["PLAN_COMPLETE"];
    expect(readSignals("the plan\nPLAN_COMPLETE\n", { markers })).toEqual({
      signals: [{ kind: "PLAN_COMPLETE", value: "", ...text }],
      refused: [],
      rest: "the plan",
    });
    expect(readSignals("PLAN_COMPLETE: in docs\nDONE: x", { markers }).signals).toEqual([
      { kind: "PLAN_COMPLETE", value: "in docs", ...text },
      { kind: "done", value: "x", ...text },
    ]);
  });

  test("what follows a marker that stands alone is not its payload", () => {
    const reading = readSignals("a\nREADY  \nb", { markers: ["READY"] });
    expect(reading).toEqual({
      signals: [{ kind: "READY", value: "", ...text }],
      refused: [],
      rest: "a\nb",
    });
  });

  test("a longer word, another text behind it or no marker at all is none", () => {
    expect(kindsOf("PLAN_COMPLETE: x\nPLANS: x\nPLAN now", ["PLAN"])).toEqual([]);
    expect(kindsOf("PLAN: x\n\n: y", ["", "plan"])).toEqual([]);
  });

  test("DONE as a marker may stand alone and is still the standing signal", () => {
    expect(kindsOf("x\nDONE", ["DONE"])).toEqual(["done"]);
    expect(readSignals("DONE [confidence=0.5]: x", { markers: ["DONE"] }).signals).toEqual([
      { kind: "done", value: "x", confidence: 0.5, ...text },
    ]);
  });
});

describe("any text", () => {
  const piece = fc.constantFrom(
    ..."`~>-: \t\n\r\u2028\uFEFF1.".split(""),
    ..."DONE|DONE:|VOTE: reject|MARK|[confidence=0.4]|[confidence=|```|~~~|> |a\ud800|\r\n|    ".split(
      "|",
    ),
  );
  const hostile = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));

  test("no text makes the reader throw, and what it reads is in the text [P15]", () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: "binary" })), (given) => {
        const { signals, rest } = readSignals(given, { markers: ["MARK"] });
        for (const signal of signals) expect(given).toContain(signal.value.split("\n")[0]);
        expect(rest.length).toBeLessThanOrEqual(given.length);
      }),
      { numRuns: casesOf(500, 10) },
    );
  });

  test("a text of which every line is quoted signals nothing, whatever it holds [SIG-3, T4]", () => {
    fc.assert(
      fc.property(hostile, (given) => {
        const quoted = given.replaceAll(/^/g, "> ").replaceAll("\n", "\n> ");
        expect(kindsOf(quoted, ["MARK"])).toEqual([]);
      }),
      { numRuns: casesOf(1000, 10) },
    );
  });

  test("a text inside a fence longer than any of its own signals nothing [SIG-3, T4]", () => {
    fc.assert(
      fc.property(hostile, (given) => {
        const fence = "`".repeat(given.length + 3);
        expect(kindsOf(`${fence}\n${given}\n${fence}\n`, ["MARK"])).toEqual([]);
      }),
      { numRuns: casesOf(1000, 10) },
    );
  });

  test("a last line DONE counts after any text that leaves no fence open", () => {
    fc.assert(
      fc.property(hostile, (given) => {
        const kinds = kindsOf(`${given.replaceAll(/[`~]/g, "")}\nDONE: end`);
        expect(kinds.at(-1)).toBe("done");
      }),
    );
  });

  test("a flood keeps only its last signals", () => {
    const given = Array.from({ length: MAX_SIGNALS * 5 }, (_, index) => `ACK: ${index}`).join("\n");
    const { signals } = readSignals(given);
    expect(signals.length).toBe(MAX_SIGNALS);
    expect(readSignals(given).omitted).toBe(MAX_SIGNALS * 4);
    expect(signals.at(-1)?.value).toBe(String(MAX_SIGNALS * 5 - 1));
    const fewer = Array.from({ length: MAX_SIGNALS + 500 }, (_, index) => `ACK: ${index}`);
    const values = readSignals(fewer.join("\n")).signals.map(({ value }) => value);
    expect([values.length, values[0]]).toEqual([MAX_SIGNALS, "500"]);
  });
});
