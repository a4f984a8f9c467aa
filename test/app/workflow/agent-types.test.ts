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

test("the project beats the user and .troupe beats .claude, by the name inside of the file [SUB-2]", () => {
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
