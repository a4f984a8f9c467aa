import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parseCassette } from "../../../src/agents/backends/script/load-cassette.ts";
import { TroupeError, toErrorReport } from "../../../src/foundation/errors.ts";

function problemsIn(source: string): string {
  try {
    parseCassette(source, "c.yaml");
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    expect(error.code).toBe("CASSETTE_INVALID");
    return error.message;
  }
  return "none";
}

describe("a cassette", () => {
  test("may use every key that its format has [AGT-4]", async () => {
    const source = await readFile(new URL("every-key.yaml", import.meta.url), "utf8");
    const cassette = parseCassette(source, "every-key.yaml");
    expect(cassette).toMatchObject({
      version: 1,
      repeat: "cycle",
      agents: {
        planner: [
          { expect: "todo app", after: "20ms", do: { length: 16 }, say: "DONE: plan ready" },
          { fail: { code: "OVERLOADED", retryable: true, message: "busy" } },
          { crash: true },
          { hang: true },
          { say: "cut", stop: "max_tokens" },
        ],
        "worker-*": { repeat: "fail", turns: [{ say: "DONE: one" }] },
        "planner/design": [{ say: "DONE: designed" }],
      },
      default: [{ say: "DONE: ok" }],
    });
  });

  test("fills in what its writer left out", () => {
    const cassette = parseCassette(
      "version: 1\nagents: { a: [ { do: [ { tool: { name: Bash } }, { permission: { tool: Bash } } ] } ] }",
      "c.yaml",
    );
    expect(cassette).toEqual({
      version: 1,
      repeat: "last",
      agents: {
        a: [
          {
            do: [
              { tool: { name: "Bash", input: {}, result: "", isError: false } },
              { permission: { tool: "Bash", input: {}, onDeny: "skip" } },
            ],
          },
        ],
      },
    });
  });

  test("is read from JSON as well", () => {
    const cassette = parseCassette('{"version": 1, "default": [{"say": "DONE: ok"}]}', "c.json");
    expect(cassette.default).toEqual([{ do: [], say: "DONE: ok" }]);
  });

  test("reports every problem with file, line and column", () => {
    const source = [
      "version: 1",
      "agents:",
      "  a:",
      "    - sya: hello",
      "    - say: 42",
      "    - do:",
      "        - send: { to: b, chanel: c, text: hi }",
      "      say: x",
      "      hang: true",
      "    - after: soon",
      "  b: []",
      "repaet: last",
    ].join("\n");
    expect(problemsIn(source).split("\n").slice(1).sort()).toEqual([
      "  c.yaml:10:14  agents.a[3].after: not a duration: write 500ms, 30s, 10m",
      "  c.yaml:11:6  agents.b: a list of turns holds at least one",
      '  c.yaml:12:1  unknown key "repaet" (did you mean "repeat"?  known: version, agents, default, repeat, runs)',
      '  c.yaml:4:7  unknown key "sya" in agents.a[0]',
      "  c.yaml:5:12  agents.a[1].say: Invalid input: expected string, received number",
      "  c.yaml:6:7  agents.a[2]: a turn ends in one way: say, fail, crash or hang",
      '  c.yaml:7:26  unknown key "chanel" in agents.a[2].do[0].send',
    ]);
  });

  test.each([
    ["two actions in one entry of do", "do: [ { ask: x, run: y } ]", "exactly one action"],
    ["an action that is none", "do: [ { jump: x } ]", 'unknown key "jump"'],
    ["two ends", "{ say: x, crash: true }", "one way"],
    ["stop beside fail", "{ stop: refusal, fail: { code: X } }", "`say` only"],
    ["to and channel", "do: [ { send: { to: a, channel: b, text: x } } ]", "not both"],
    ["append and write", "do: [ { document: { append: a, write: b } } ]", "either"],
  ])("refuses %s", (_, turn, message) => {
    const written = turn.startsWith("{") ? turn : `{ ${turn} }`;
    expect(problemsIn(`version: 1\ndefault: [ ${written} ]`)).toContain(message);
  });

  test.each([
    ["a pattern that names a step", '{ "w-*/build": [ { say: x } ] }', "names agents only"],
    ["a prototype key", "{ __proto__: [ { say: x } ] }", '"__proto__" is not allowed'],
    ["a key that stands twice", "{ a: [ { say: x } ], a: [ { say: y } ] }", "stands twice"],
  ])("refuses %s", (_, agents, message) => {
    expect(problemsIn(`version: 1\nagents: ${agents}`)).toContain(message);
  });

  test("that is no YAML is refused with the place", () => {
    expect(problemsIn("version: 1\nagents: { a: [")).toMatch(/c\.yaml:2:\d+/);
  });

  test("carries the place of its first problem", () => {
    try {
      parseCassette("version: 2", "c.yaml");
      expect.unreachable();
    } catch (error) {
      expect(toErrorReport(error)).toMatchObject({ file: "c.yaml", line: 1, column: 10 });
    }
  });
});
