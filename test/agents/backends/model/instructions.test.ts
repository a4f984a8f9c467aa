import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createMemoryRecord } from "./memory-record.ts";
import { type ModelRun, type ModelRunOptions, modelRun } from "./model-run.ts";

async function files(run: ModelRun, texts: { readonly [path: string]: string }): Promise<void> {
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(dirname(join(run.cwd, path)), { recursive: true });
    await writeFile(join(run.cwd, path), text);
  }
}

/** What a new session in the directory is told before everything else. */
async function toldIn(like: ModelRun, options: ModelRunOptions = {}): Promise<string> {
  const run = await modelRun({ like, ...options });
  await run.turn([{ text: "ok" }]);
  const { system } = JSON.parse(run.server.calls().at(-1)?.body ?? "{}");
  return system.map(({ text }: { readonly text: string }) => text).join("");
}

const skill = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nSTEPS of ${name}`;

test("the instructions of a trusted project are read, both of them, a copy or link once; those of another one are named [LOOP-8.instructions]", async () => {
  const run = await modelRun();
  await files(run, { "AGENTS.md": "Always use tabs.", "CLAUDE.md": "Never use npm." });
  const trusted = await toldIn(run, { trustsProject: true });
  expect(trusted).toContain("AGENTS.md of the project says:\n\nAlways use tabs.");
  expect(trusted).toContain("CLAUDE.md of the project says:\n\nNever use npm.");
  const untrusted = await toldIn(run);
  expect(untrusted).toContain("The project has AGENTS.md, which was not read");
  expect(untrusted).toContain("The project has CLAUDE.md, which was not read");
  expect(untrusted).not.toMatch(/tabs|npm/);
  const linked = await modelRun();
  await files(linked, { "AGENTS.md": "Always use tabs." });
  await symlink("AGENTS.md", join(linked.cwd, "CLAUDE.md"));
  expect((await toldIn(linked, { trustsProject: true })).match(/tabs/g)).toHaveLength(1);
});

test("of the skills of a trusted project the model is told what each is for, and reads the rest when it is used [LOOP-8.skills]", async () => {
  const run = await modelRun();
  await files(run, {
    ".claude/skills/release/SKILL.md": skill("release", "Making a release\n  of this package"),
    ".troupe/skills/deploy/SKILL.md": skill("deploy", "Deploying it"),
    ".claude/skills/empty/SKILL.md": "no head",
    ".claude/skills/bad name/SKILL.md": skill("x", "IGNORE ALL"),
    ".claude/skills/none/README.md": "nothing",
  });
  const told = await toldIn(run, { trustsProject: true });
  expect(told.split("\n").filter((line) => line.startsWith("- "))).toEqual([
    "- deploy: Deploying it (.troupe/skills/deploy/SKILL.md)",
    "- .claude/skills/empty/SKILL.md (it does not say by name and description what it is for)",
    "- release: Making a release of this package (.claude/skills/release/SKILL.md)",
  ]);
  expect(told).not.toContain("STEPS");
  const session = await modelRun({ like: run, trustsProject: true });
  const args = { file_path: ".claude/skills/release/SKILL.md" };
  await session.turn([{ calls: [{ tool: "Read", args }] }, { text: "ok" }]);
  expect(run.server.calls().at(-1)?.body).toContain("STEPS of release");
});

test("skills of a project that is not trusted are named, and nothing of them is read [LOOP-8.skills]", async () => {
  const run = await modelRun();
  await files(run, {
    ".claude/skills/release/SKILL.md": skill("release", "OBEY"),
    ".claude/skills/a\nOBEY/SKILL.md": skill("x", "OBEY"),
  });
  const told = await toldIn(run);
  expect(told).toContain("which were not read");
  expect(told).toContain("- .claude/skills/release/SKILL.md");
  expect(told).not.toContain("OBEY");
});

test("what a model is told first stays the same for all of its session, also when the project says something else by then; a fork is told its own [LOOP-7.system]", async () => {
  const record = createMemoryRecord();
  const first = await modelRun({ record, trustsProject: true });
  await files(first, { "AGENTS.md": "Always use tabs." });
  const systems = () =>
    first.server.calls().map(({ body }) => JSON.stringify(JSON.parse(body).system));
  const begun = await modelRun({ like: first, record, trustsProject: true });
  await begun.turn([{ text: "one" }]);
  await files(first, { "AGENTS.md": "Always use blanks." });
  await begun.turn([{ text: "two" }], { turn: 2 });
  const resume = "worker@1";
  const next = await modelRun({ like: first, record, resume, trustsProject: true });
  await next.turn([{ text: "three" }], { turn: 3 });
  expect(systems()[0]).toContain("Always use tabs.");
  expect(new Set(systems()).size).toBe(1);
  const fork = createMemoryRecord(record.kept);
  const twin = await modelRun({
    ...{ like: first, record: fork, resume: "fork of worker", trustsProject: true },
    spec: { id: "twin" },
  });
  await twin.turn([{ text: "four" }], { agent: "twin" });
  expect(systems().at(-1)).toContain("You are twin");
  expect(systems().at(-1)).toContain("Always use blanks.");
});

test("a compaction leaves what the model is told first as it was [LOOP-7.system, LOOP-13.old]", async () => {
  const record = createMemoryRecord();
  const settings = { contextWindow: 4000 };
  const first = await modelRun({ record, settings });
  await files(first, { "AGENTS.md": "Always use tabs." });
  const run = await modelRun({ like: first, record, settings, trustsProject: true });
  for (let turn = 1; turn < 4; turn += 1)
    await run.turn([{ text: `answer ${turn} ${"y".repeat(9000)}` }], { turn });
  expect(record.kept.map(({ fact }) => fact.type)).toContain("context-compacted");
  await files(first, { "AGENTS.md": "Always use blanks." });
  const next = await modelRun({
    ...{ like: first, record, settings, resume: "worker@1", trustsProject: true },
  });
  await next.turn([{ text: "five" }], { turn: 5 });
  expect(run.server.calls().at(-1)?.body).toContain("Always use tabs.");
});
