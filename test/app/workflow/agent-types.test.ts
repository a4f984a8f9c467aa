import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { grantTrust } from "../../../src/app/machine/trust/trust-store.ts";
import { createAgentTypeFinder, projectAgentTypes } from "../../../src/app/workflow/agent-types.ts";
import { type ConfigProject, createConfigProject } from "../machine/config/config-project.ts";

const typeText = (name: string, prompt: string) =>
  `---\nname: ${name}\ndescription: For tests\n---\n${prompt}\n`;

/** What the finder of a project is made with. */
function surroundings({ root, env }: ConfigProject, trustsProject = false) {
  const project = { root, troupeDirectory: join(root, ".troupe"), runsDirectory: "", cwd: root };
  return { env, project, trustsProject };
}

/** Trusts the agent types that there are now, as `troupe trust` does. */
function trust(project: ConfigProject): void {
  const files = projectAgentTypes(surroundings(project));
  const agentFiles = Object.fromEntries(files.map(({ path, hash = "" }) => [path, hash]));
  const { root, env } = project;
  grantTrust(env, { directory: root, hash: "", agentFiles, trustedAt: "2026-01-01T00:00:00.000Z" });
}

/** The prompt that a name leads to, or the code of what speaks against it. */
function find(project: ConfigProject, name: string, trustsProject = false): string | undefined {
  const found = createAgentTypeFinder(surroundings(project, trustsProject)).find(name);
  if (found === undefined) return undefined;
  return found.status === "found" ? found.type.prompt.trim() : found.error.code;
}

test("agent types of a project take effect once they are trusted, and no longer when they change [SUB-2, STP-12, T18]", () => {
  const project = createConfigProject();
  project.write("project/.troupe/agents/reviewer.md", typeText("reviewer", "Review."));
  expect(find(project, "reviewer")).toBe("AGENT_TYPE_UNTRUSTED");
  expect(find(project, "reviewer", true)).toBe("Review.");
  trust(project);
  expect(find(project, "reviewer")).toBe("Review.");
  project.write("project/.troupe/agents/reviewer.md", typeText("reviewer", "Delete all."));
  expect(find(project, "reviewer")).toBe("AGENT_TYPE_UNTRUSTED");
  expect(find(project, "nobody")).toBeUndefined();
});

test("the project beats the user and .troupe beats .claude, by the name inside of the file [SUB-2, ECO-8.claude]", () => {
  const project = createConfigProject();
  const files = [
    ["project/.troupe/agents/x.md", "a", "project, troupe"],
    ["project/.claude/agents/x.md", "a", "project, claude"],
    ["project/.claude/agents/y.md", "b", "project, claude"],
  ] as const;
  for (const [path, name, prompt] of files) project.write(path, typeText(name, prompt));
  project.write("home/.config/troupe/agents/z.md", typeText("b", "user, troupe"));
  project.write("home/.config/troupe/agents/c.md", typeText("c", "user, troupe"));
  trust(project);
  const finder = createAgentTypeFinder(surroundings(project));
  expect(["a", "b", "c"].map((name) => find(project, name))).toEqual([
    "project, troupe",
    "project, claude",
    "user, troupe",
  ]);
  expect(finder.names()).toEqual(["a", "b", "c"]);
});

test("agents of opencode and OpenAgents are found by the names of their files, after those of troupe and Claude Code [ECO-8.opencode, T18]", () => {
  const project = createConfigProject();
  const nameless = (prompt: string) => `---\ndescription: For tests\n---\n${prompt}\n`;
  project.write("project/.opencode/agent/review.md", nameless("opencode"));
  project.write("project/.opencode/agents/docs.md", nameless("opencode, many"));
  project.write("project/.openagents/agents/review.md", nameless("openagents"));
  project.write("project/.openagents/agents/build.md", typeText("builder", "openagents"));
  project.write("project/.claude/agents/claude.md", nameless("no name"));
  project.write("home/.config/opencode/agent/mine.md", nameless("mine"));
  expect(find(project, "review")).toBe("AGENT_TYPE_UNTRUSTED");
  expect(find(project, "mine")).toBe("mine");
  trust(project);
  expect(["review", "docs", "builder", "claude"].map((name) => find(project, name))).toEqual([
    "opencode",
    "opencode, many",
    "openagents",
    "AGENT_TYPE_INVALID",
  ]);
});

test("an untrusted type of the project is not replaced by one of the user with its name [SUB-2, T18]", () => {
  const project = createConfigProject();
  project.write("project/.claude/agents/a.md", typeText("a", "theirs"));
  project.write("home/.config/troupe/agents/a.md", typeText("a", "mine"));
  expect(find(project, "a")).toBe("AGENT_TYPE_UNTRUSTED");
});

test("a file that is no agent type is found by its own name, and two of one name are refused [SUB-2]", () => {
  const project = createConfigProject();
  project.write("project/.troupe/agents/broken.md", "no head");
  project.write("project/.troupe/agents/one.md", typeText("twin", "1"));
  project.write("project/.troupe/agents/two.md", typeText("twin", "2"));
  project.write("project/.troupe/agents/notes.txt", typeText("notes", "no"));
  trust(project);
  expect(["broken", "twin", "notes"].map((name) => find(project, name))).toEqual([
    "AGENT_TYPE_INVALID",
    "AGENT_TYPE_TWICE",
    undefined,
  ]);
});

test("a file that is too large, no text or a link out of its directory is refused [SUB-2, T8]", () => {
  const project = createConfigProject();
  project.write("project/.troupe/agents/large.md", typeText("large", "x".repeat(262_144)));
  project.write("project/.troupe/agents/plain.md", "");
  project.write("project/secret.md", typeText("secret", "mine"));
  const directory = join(project.root, ".troupe/agents");
  writeFileSync(join(directory, "bytes.md"), Buffer.from([0x2d, 0xff, 0xfe]));
  symlinkSync(join(project.root, "secret.md"), join(directory, "link.md"));
  trust(project);
  const finder = createAgentTypeFinder(surroundings(project, true));
  const messages = ["large", "bytes", "link"].map((name) => {
    const found = finder.find(name);
    return found?.status === "refused" ? found.error.message : undefined;
  });
  expect(messages).toEqual([
    ".troupe/agents/large.md: it has more than 256 KiB",
    ".troupe/agents/bytes.md: it is not UTF-8 text",
    ".troupe/agents/link.md: it is a link that leads out of its directory",
  ]);
});

test("agents of an opencode.json take effect after trust, after those of Markdown files, the project's before the user's [ECO-8.opencode-json, T18]", () => {
  const project = createConfigProject();
  const settings = (prompt: string) =>
    JSON.stringify({ agent: { one: { description: "One", prompt }, two: { prompt } } });
  project.write("project/opencode.json", settings("project"));
  project.write("home/.config/opencode/opencode.jsonc", `${settings("user")} // mine`);
  project.write("project/.opencode/agent/two.md", typeText("two", "markdown"));
  expect(find(project, "one")).toBe("AGENT_TYPE_UNTRUSTED");
  expect(projectAgentTypes(surroundings(project)).map(({ path }) => path)).toEqual([
    ".opencode/agent/two.md",
    "opencode.json",
  ]);
  trust(project);
  expect(find(project, "one")).toBe("project");
  expect(find(project, "two")).toBe("markdown");
  project.write("project/opencode.json", settings("changed"));
  expect(find(project, "one")).toBe("AGENT_TYPE_UNTRUSTED");
});

test("what opencode's settings say for all bounds its Markdown agents, and no others [ECO-8.opencode-json]", () => {
  const project = createConfigProject();
  project.write("home/.config/opencode/opencode.json", '{ "permission": { "edit": "deny" } }');
  project.write("project/.opencode/opencode.json", '{ "permission": { "webfetch": "deny" } }');
  project.write("project/.opencode/agent/one.md", typeText("one", "One."));
  project.write("project/.claude/agents/two.md", typeText("two", "Two."));
  const denied = (name: string) => {
    const found = createAgentTypeFinder(surroundings(project, true)).find(name);
    return found?.status === "found" ? found.type.deniedTools : undefined;
  };
  expect(denied("one")).toEqual(["Edit", "MultiEdit", "Write", "NotebookEdit", "WebFetch"]);
  expect(denied("two")).toBeUndefined();
});

test("an agent of opencode is refused while the settings that bound it are not trusted [ECO-8.opencode-json, T18]", () => {
  const project = createConfigProject();
  project.write("project/.opencode/agent/one.md", typeText("one", "One."));
  trust(project);
  expect(find(project, "one")).toBe("One.");
  project.write("project/opencode.json", '{ "permission": { "edit": "deny" } }');
  expect(find(project, "one")).toBe("AGENT_TYPE_UNTRUSTED");
  const found = createAgentTypeFinder(surroundings(project)).find("one");
  expect(found).toMatchObject({ error: { message: expect.stringContaining("opencode.json") } });
});
