import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { call, createProject } from "../cli/fake-io.ts";
import { installedClient } from "./installed-client.ts";
import type { ModelServer } from "./model-server/model-server.ts";
import { type Step, scriptText } from "./model-server/script.ts";
import { startedModel } from "./started-model.ts";

const examples = join(import.meta.dirname, "../../examples");
// Several programs one after another, each of which takes seconds to start on a busy machine.
const TIMEOUT_MS = 180_000;
const KEY = "key-of-the-scripted-model";

// Of a model that it does not know Codex offers its plain shell.
const CONFIG = "backends: { claude: { model: claude-sonnet-4-5 }, codex: { model: scripted } }\n";

interface Place {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly model: ModelServer;
}

/** A repository, and a user who has Claude Code and Codex. */
async function createPlace(context: TestContext): Promise<Place> {
  const [claude] = installedClient("claude", context);
  const [codex] = installedClient("codex", context);
  const model = await startedModel();
  const home = createProject();
  mkdirSync(join(home, "troupe"));
  writeFileSync(join(home, "troupe/config.yaml"), CONFIG);
  const env = {
    PATH: [dirname(claude), dirname(codex), process.env["PATH"]].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: home,
    ANTHROPIC_BASE_URL: model.urlFor("claude"),
    ANTHROPIC_API_KEY: KEY,
    OPENAI_BASE_URL: `${model.urlFor("codex")}/v1`,
    OPENAI_API_KEY: KEY,
  };
  const cwd = createProject({ ".gitignore": ".troupe/\n" });
  git(cwd, "init", "-q", "-b", "main");
  return { cwd, env, model };
}

function git(cwd: string, ...args: readonly string[]): string {
  const author = ["-c", "user.name=Example", "-c", "user.email=example@localhost"];
  return execFileSync("git", [...author, ...args], { cwd, encoding: "utf8" });
}

function commit(cwd: string, subject: string): void {
  git(cwd, "add", "-A");
  git(cwd, "commit", "-q", "-m", subject);
}

function patch(...lines: readonly string[]): Step {
  const body = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
  return { calls: [{ shell: `apply_patch <<'EOF'\n${body}\nEOF\n` }] };
}

test("review-branch: claude and codex review a branch at once, and a judge makes one list of it [AGT-3.coding-agents, AGT-10, AGT-15]", {
  timeout: TIMEOUT_MS,
}, async (context) => {
  const { cwd, env, model } = await createPlace(context);
  writeFileSync(join(cwd, "price.mjs"), "export const price = 1;\n");
  commit(cwd, "Prices");
  git(cwd, "switch", "-q", "-c", "dearer");
  writeFileSync(join(cwd, "price.mjs"), "export const price = -2;\n");
  commit(cwd, "Dearer");
  const found = "1. price.mjs:1: a price below zero";
  const focus = scriptText({ calls: [{ shell: "cat price.mjs" }] }, { text: `DONE:\n${found}` });
  const file = join(examples, "review-branch/review-branch.yaml");
  const { exitCode, out } = await call(cwd, ["run", file, "-i", `focus=${focus}`], { env });
  expect({ exitCode, out }).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining(`result\n  ${found}`),
  });
  for (const agent of ["claude", "codex"])
    expect(JSON.stringify(model.calls(agent))).toContain("+export const price = -2;");
  const judged = model.calls("claude").filter(({ body }) => /output of step.{1,4}codex/.test(body));
  expect(judged.length).toBeGreaterThan(0);
  expect(git(cwd, "status", "--porcelain")).toBe("");
  const cost = await call(cwd, ["cost", "@last", "--by", "backend"], { env });
  expect(cost.out).toMatch(/^claude +2 /m);
  expect(cost.out).toMatch(/^codex +1 /m);
});

test("feature-pipeline: codex implements what claude designed, mends what the check finds, claude tests and reviews it [AGT-3.coding-agents, AGT-10, AGT-12]", {
  timeout: TIMEOUT_MS,
}, async (context) => {
  const { cwd, env, model } = await createPlace(context);
  cpSync(join(examples, "feature-pipeline/sample"), cwd, { recursive: true });
  const reviewing = scriptText({ text: "DONE: it may be merged" });
  const test = 'import test from "node:test";\ntest("nothing", () => {});\n';
  const testFile = join(cwd, "test/more.test.mjs");
  const testing = scriptText(
    { calls: [{ tool: "Write", args: { file_path: testFile, content: test } }] },
    { text: `DONE: covered ${reviewing}` },
  );
  const implementing = scriptText(patch("*** Add File: src/made.mjs", "+export const made = 1;"), {
    text: `DONE: implemented ${testing}`,
  });
  const designing = scriptText({ text: `DONE: the plan ${implementing}` });
  // A script cannot react to what the check found, so it is the check that changes its mind.
  const check = `import { existsSync, writeFileSync } from "node:fs";
    const isAgain = existsSync(".troupe/checked");
    writeFileSync(".troupe/checked", "");
    if (!isAgain) throw new Error("half of it is missing");
  `;
  writeFileSync(join(cwd, "check.mjs"), check);
  commit(cwd, "A shop");
  const file = join(examples, "feature-pipeline/feature-pipeline.yaml");
  const args = ["run", file, designing, "-i", "check=node check.mjs && node --test"];
  const { exitCode, out } = await call(cwd, args, { env });
  expect({ exitCode, out }).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("it may be merged"),
  });
  expect(out).toMatch(/implement +● started, attempt 2/);
  expect(JSON.stringify(model.calls("codex"))).toContain("half of it is missing");
  expect(git(cwd, "status", "--porcelain", "-uall")).toBe(
    "?? src/made.mjs\n?? test/more.test.mjs\n",
  );
  const { out: events } = await call(cwd, ["logs", "@last", "--json"], { env });
  expect(events).not.toContain('"decision":"denied"');
});

test("review-team: claude as reviewer wakes claude as coder, who mends the file [AGT-3.coding-agents, KCK-2, MCP-5]", {
  timeout: TIMEOUT_MS,
}, async (context) => {
  const { cwd, env, model } = await createPlace(context);
  const mended = join(cwd, "price.mjs");
  const mending = scriptText(
    { calls: [{ tool: "Write", args: { file_path: mended, content: "mended\n" } }] },
    { calls: [{ tool: "document_append", args: { content: "1. fixed: the price" } }] },
    { text: "It is mended." },
  );
  const change = scriptText(
    {
      calls: [{ tool: "channel_send", args: { message: `@coder the price is wrong ${mending}` } }],
    },
    { text: "DONE: handed on" },
  );
  writeFileSync(join(cwd, "change.diff"), change);
  cpSync(join(examples, "review-team"), join(cwd, "review-team"), { recursive: true });
  const file = "review-team/review-team.yaml";
  const { exitCode, out, err } = await call(
    cwd,
    ["run", file, "-i", `diff=${join(cwd, "change.diff")}`],
    { env },
  );
  expect({ exitCode, err }, out).toEqual({ exitCode: 0, err: "" });
  expect(readFileSync(mended, "utf8")).toBe("mended\n");
  const [notes] = globSync(join(cwd, ".troupe/**/notes.md"));
  expect(readFileSync(notes ?? "", "utf8")).toContain("1. fixed: the price");
  expect(JSON.stringify(model.calls("claude"))).toContain("You are coder.");
});
