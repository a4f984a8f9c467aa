import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { type Called, call, createFakeIo, createProject, type FakeIoOptions } from "./fake-io.ts";
import { type Asking, finishWaiting, startWaiting } from "./waiting-run.ts";
import { ONE_STEP, QUESTION } from "./workflows.ts";

const PLAY = ["--cassette", "cassette.yaml"];
const HUMAN = `version: "1.0"
name: human
pattern: dag
agents:
  - { id: ann, backend: human }
steps:
  - { id: choose, agent: ann, prompt: "Which \\e[2Jone?\\u202e" }
`;
const MENTIONING = `version: 1
agents:
  coder: [{ do: [{ send: { text: "@user may I push?" } }], say: "DONE: coded" }]
`;

const SHOW = { version: 7, files: ["a.ts", "b.ts"], note: "ok\u001b[8m\u202egnp.exe" };
const deploys: Asking = async (context) => ({
  ...(await context.approval({ message: "Deploy?", step: "deploy", show: SHOW })),
});

/** A terminal whose editor writes what `edit` makes of the file. */
function withEditor(
  edit: (text: string, argv: readonly string[]) => string,
): Pick<FakeIoOptions, "env" | "isTerminal" | "program"> {
  const program = (argv: readonly string[]) => {
    const file = argv.at(-1) ?? "";
    writeFileSync(file, edit(readFileSync(file, "utf8"), argv));
    return 0;
  };
  return {
    isTerminal: true,
    env: { EDITOR: 'my "good editor" --wait', VISUAL: " ", NO_COLOR: "1" },
    program,
  };
}

async function itemOf(
  cwd: string,
): Promise<{ readonly id: string; readonly [key: string]: unknown }> {
  const { items } = JSON.parse((await call(cwd, ["inbox", "--json"])).out);
  return items[0];
}

function codeOf({ err }: Called): string | undefined {
  return /error\[(\w+)\]/.exec(err)?.[1];
}

test("inbox ID shows all that is to be approved, with its hash, and no character that hides [T12, P14]", async () => {
  const cwd = createProject();
  const run = await startWaiting(cwd, deploys);
  const { id, hash } = await itemOf(cwd);
  const shown = await call(cwd, ["inbox", id.slice(4)]);
  expect(shown.out.split("\n")).toEqual([
    `▲ approval ${id} · asking@default · ${run} · step deploy`,
    expect.stringMatching(/^ {2}asked 20.+Z, .+ ago$/),
    "  Deploy?",
    `to be approved, sha256 ${hash}`,
    "  version: 7",
    "  files:",
    "    - a.ts",
    "    - b.ts",
    String.raw`  note: ok\u001b[8m<U+202E>gnp.exe`,
    `  troupe approve ${id} · troupe reject ${id} -m "why"`,
    "",
  ]);
  expect((await call(cwd, ["inbox"])).out).toContain(`troupe inbox ${id} · troupe approve ${id}`);
  const { items } = JSON.parse((await call(cwd, ["inbox", id, "--json"])).out);
  expect(items).toMatchObject([{ id, run, kind: "approval", step: "deploy", show: SHOW, hash }]);
  expect(codeOf(await call(cwd, ["inbox", "apr_none"]))).toBe("RUN_ITEM_NOT_FOUND");
});

test("a permission is shown with its tool and its whole input, also after the run was let go [T12]", async () => {
  const command = `echo ${"x".repeat(3000)} \\u009b2J end`;
  const cassette = `version: 1
agents:
  coder: [{ do: [{ permission: { tool: Bash, input: { command: "${command}" } } }], say: "DONE: x" }]
`;
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": cassette });
  await call(cwd, ["run", "one.yaml", "x", ...PLAY]);
  const { id } = await itemOf(cwd);
  const { out } = await call(cwd, ["inbox", id]);
  expect(out).toContain(String.raw`  wants to call Bash: echo ${"x".repeat(3000)} \u009b2J end`);
});

test("what was edited before it was approved reaches the program; what changed is told [STP-8]", async () => {
  const cwd = createProject();
  await startWaiting(cwd, deploys);
  const { id, hash } = await itemOf(cwd);
  const seen: unknown[] = [];
  const approved = await call(cwd, ["approve", id, "--edit", "-m", "smaller"], {
    ...withEditor((text, argv) => {
      seen.push(argv.slice(0, -1), statSync(argv.at(-1) ?? "").mode & 0o777);
      return text.replace("version: 7", "version: 8").replace("  - b.ts\n", "");
    }),
  });
  expect(seen).toEqual([["my", "good editor", "--wait"], 0o600]);
  expect(approved.out).toMatch(/^~ version: 7 → 8\n- files\[1\]: "b.ts"\nrecorded; /);
  expect(await finishWaiting(cwd, deploys)).toMatchObject({
    approved: true,
    comment: "smaller",
    edited: { version: 8, files: ["a.ts"], note: SHOW.note },
  });
  const events = await call(cwd, ["logs", "@last", "--json"]);
  expect(events.out).toContain(`"type":"approval-resolved"`);
  expect(events.out).toContain(`"hash":"${hash}"`);
});

test("a text is edited as it is, and nothing changed is nothing edited [STP-8]", async () => {
  const asks: Asking = async (context) => ({
    ...(await context.approval({ message: "Send?", show: "Dear all\n# not a comment" })),
  });
  const cwd = createProject();
  await startWaiting(cwd, asks);
  const { id } = await itemOf(cwd);
  const files: string[] = [];
  const same = await call(cwd, ["approve", id, "--edit"], {
    ...withEditor((text, argv) => {
      files.push(argv.at(-1) ?? "");
      expect(text).toBe("Dear all\n# not a comment");
      return `${text}\n`;
    }),
  });
  expect(same.out).toMatch(/^nothing was changed\nrecorded; /);
  expect(files.map((file) => existsSync(file))).toEqual([false]);
  const metadata = await finishWaiting(cwd, asks);
  expect(metadata).toMatchObject({ approved: true });
  expect(metadata).not.toHaveProperty("edited");
});

test("what cannot be read after editing decides nothing and is kept [STP-8]", async () => {
  const cwd = createProject();
  await startWaiting(cwd, deploys);
  const { id } = await itemOf(cwd);
  for (const broken of ["a: [1\n", "", "a: 1\na: 2\n"]) {
    const called = await call(
      cwd,
      ["approve", id, "--edit"],
      withEditor(() => broken),
    );
    expect([called.exitCode, codeOf(called)]).toEqual([2, "USAGE_EDIT_INVALID"]);
    const file = /kept in (\S+)/.exec(called.err)?.[1] ?? "";
    expect(readFileSync(file, "utf8")).toBe(broken);
  }
  expect((await itemOf(cwd)).id).toBe(id);
});

test("without terminal or editor, or with one that fails, nothing is decided", async () => {
  const cwd = createProject();
  await startWaiting(cwd, deploys);
  const { id } = await itemOf(cwd);
  const edit = ["approve", id, "--edit"];
  const env = { EDITOR: "ed" };
  const fails = () => Promise.reject(new Error("spawn ed ENOENT"));
  const called = [
    await call(cwd, edit, { env }),
    await call(cwd, edit, { isTerminal: true }),
    await call(cwd, edit, { isTerminal: true, env: { EDITOR: 'ed "x' } }),
    await call(cwd, edit, { isTerminal: true, env, program: () => 1 }),
    await call(cwd, edit, { isTerminal: true, env, program: fails }),
  ];
  expect(called.map(codeOf)).toEqual([
    "USAGE_INVALID",
    "USAGE_EDITOR_MISSING",
    "USAGE_EDITOR_FAILED",
    "USAGE_EDITOR_FAILED",
    "USAGE_EDITOR_FAILED",
  ]);
  expect(new Set(called.map(({ exitCode }) => exitCode))).toEqual(new Set([2]));
  expect((await itemOf(cwd)).id).toBe(id);
});

test("an empty id names nothing, not even the only thing that waits [T15]", async () => {
  const cwd = createProject();
  const run = await startWaiting(cwd, deploys);
  const called = [await call(cwd, ["approve", ""]), await call(cwd, ["approve", "--run", ""])];
  expect(called.map(codeOf)).toEqual(["RUN_ITEM_NOT_FOUND", "RUN_NOT_FOUND"]);
  expect((await itemOf(cwd))["run"]).toBe(run);
});

test("whoever names a run instead of what waits in it is told how [CLI-1]", async () => {
  const cwd = createProject();
  const run = await startWaiting(cwd, deploys);
  for (const given of [run, "@last"]) {
    const { err } = await call(cwd, ["approve", given]);
    expect(err).toContain(`--run ${given}`);
  }
  expect((await itemOf(cwd))["run"]).toBe(run);
});

test("a decision names what was seen by its hash, and does not count for anything else [P14]", async () => {
  const cwd = createProject();
  await startWaiting(cwd, deploys);
  const { id, hash } = await itemOf(cwd);
  const other = await call(cwd, ["approve", id, "--hash", "0123456789ab"]);
  expect([other.exitCode, codeOf(other)]).toEqual([2, "RUN_ITEM_CHANGED"]);
  expect(codeOf(await call(cwd, ["reject", id, "-m", "no", "--hash", "0123"]))).toBe(
    "USAGE_INVALID",
  );
  const same = await call(cwd, ["approve", id, "--hash", String(hash).slice(0, 12)]);
  expect(same.exitCode).toBe(0);
});

test("whoever is too late is told who decided what, and when [P14]", async () => {
  const cwd = createProject();
  await startWaiting(cwd, deploys);
  const { id } = await itemOf(cwd);
  await call(cwd, ["reject", id, "-m", "not on a Friday"]);
  const recorded = await call(cwd, ["approve", id]);
  await finishWaiting(cwd, deploys);
  const over = await call(cwd, ["approve", id]);
  for (const late of [recorded, over]) {
    expect([late.exitCode, codeOf(late)]).toEqual([2, "ENGINE_ITEM_RESOLVED"]);
    expect(late.err).toMatch(/rejected by user at 20\d\d-\d\d-\d\dT/);
  }
});

test("also the thirtieth of many is found, shown and decided, and no other one [P14, ENG-19]", async () => {
  const many: Asking = async (context) => {
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    const all = numbers.map((number) => context.approval({ message: `Number ${number}?` }));
    return { approved: (await Promise.all(all)).filter(({ approved }) => approved).length };
  };
  const cwd = createProject();
  await startWaiting(cwd, many);
  const { items } = JSON.parse((await call(cwd, ["inbox", "--json"])).out);
  expect(items).toHaveLength(30);
  const last = items.at(-1);
  expect((await call(cwd, ["inbox", last.id])).out).toContain("Number 29?");
  expect((await call(cwd, ["approve", last.id])).exitCode).toBe(0);
  const left = JSON.parse((await call(cwd, ["inbox", "--json"])).out).items;
  expect(left).toEqual(items.slice(0, -1));
  const several = await call(cwd, ["approve", "--run", "@last"]);
  expect(codeOf(several)).toBe("RUN_ITEM_AMBIGUOUS");
});

test("a human agent is asked through the inbox, and --resume goes on here [AGT-3.human, STP-8]", async () => {
  const cwd = createProject({ "human.yaml": HUMAN });
  expect((await call(cwd, ["run", "human.yaml"])).exitCode).toBe(3);
  const { id } = await itemOf(cwd);
  const shown = await call(cwd, ["inbox", id]);
  expect(shown.out).toContain("Which ␛[2Jone?<U+202E>");
  const resumed = await call(cwd, ["answer", id, "the left one", "--resume"]);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.out).toMatch(/^qst_\w{6} answered\n/);
  expect(resumed.out).toContain("completed");
  expect((await call(cwd, ["resume", "@last", "-q"])).out).toBe("the left one\n");
});

test.each([
  { how: "a text", args: ["two words"], options: {}, expected: "two words" },
  { how: "standard input", args: ["-"], options: { input: "a\nb\n" }, expected: "a\nb" },
  { how: "a file", args: ["--file", "answer.txt"], options: {}, expected: "from a file" },
  {
    how: "an editor",
    args: [],
    options: withEditor((text) => `# Left\n\nbecause\n${text}`),
    expected: "# Left\n\nbecause",
  },
])("an answer is given as $how [AGT-3.human]", async ({ args, options, expected }) => {
  const cwd = createProject({ "human.yaml": HUMAN, "answer.txt": "from a file\n" });
  await call(cwd, ["run", "human.yaml"]);
  const { id } = await itemOf(cwd);
  const answered = await call(cwd, ["answer", id, ...args], options);
  expect(answered).toMatchObject({ exitCode: 0, err: "" });
  expect((await call(cwd, ["resume", "@last", "-q"])).out).toBe(`${expected}\n`);
});

test.each([
  { what: "an empty text", args: [" "], options: {}, code: "USAGE_INVALID" },
  { what: "an empty input", args: ["-"], options: { input: "\n" }, code: "USAGE_INVALID" },
  { what: "two answers", args: ["x", "--file", "y"], options: {}, code: "USAGE_INVALID" },
  { what: "no answer", args: [], options: {}, code: "USAGE_INVALID" },
  { what: "a file that is not there", args: ["--file", "y"], options: {}, code: "FILE_NOT_FOUND" },
  {
    what: "an untouched editor",
    args: [],
    options: withEditor((text) => text),
    code: "USAGE_INVALID",
  },
])("$what answers nothing [CLI-1]", async ({ args, options, code }) => {
  const cwd = createProject({ "human.yaml": HUMAN });
  await call(cwd, ["run", "human.yaml"]);
  const { id } = await itemOf(cwd);
  const called = await call(cwd, ["answer", id, ...args], options);
  expect([called.exitCode, codeOf(called)]).toEqual([2, code]);
  expect((await itemOf(cwd)).id).toBe(id);
});

test("a process that an agent started decides nothing [T15]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": QUESTION });
  await call(cwd, ["run", "one.yaml", "x", ...PLAY]);
  const { id } = await itemOf(cwd);
  const above = { family: "f1", run: "run_abc123" };
  for (const command of [
    ["answer", id, "x"],
    ["approve", id],
    ["reject", id, "-m", "no"],
  ]) {
    const called = await call(cwd, command, { above });
    expect([called.exitCode, codeOf(called)]).toEqual([2, "USAGE_DECISION_BY_AGENT"]);
  }
  expect((await itemOf(cwd)).id).toBe(id);
});

test("a rejection at the terminal asks for its reason, once it is known what is rejected", async () => {
  const cwd = createProject();
  await startWaiting(cwd, deploys);
  const { id } = await itemOf(cwd);
  const reject = async (line: string) => {
    const io = createFakeIo({ cwd, isTerminal: true });
    const rejecting = runCli(["reject", id], io);
    await io.seen("why? ");
    io.type(line);
    return { exitCode: await rejecting, err: io.err() };
  };
  expect(await reject(" ")).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining("a reason"),
  });
  expect(await reject("too late")).toMatchObject({ exitCode: 0 });
  expect(await finishWaiting(cwd, deploys)).toMatchObject({ approved: false, comment: "too late" });
});

test("the end of a run tells what nobody answered [ENG-11, CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": MENTIONING });
  const { exitCode, out } = await call(cwd, ["run", "one.yaml", "x", ...PLAY]);
  expect(exitCode).toBe(0);
  expect(out).toContain("▲ question qst_");
  expect(out).toMatch(/▲ unanswered: question qst_\w{6} \(coder\): "@user may I push\?"/);
  const shown = await call(cwd, ["show", "@last"]);
  expect(shown.out).toMatch(/unanswered\n {2}question qst_\w{6} \(coder\): "@user may I push\?"\n/);
  expect(JSON.parse((await call(cwd, ["show", "@last", "--json"])).out)).toMatchObject({
    waitingFor: [],
    unanswered: [{ kind: "question", agent: "coder", text: "@user may I push?" }],
  });
  expect((await call(cwd, ["inbox"])).out).toBe("nothing needs you\n");
});
