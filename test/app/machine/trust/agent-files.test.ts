import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  agentTrust,
  leftOutFiles,
  namesObeyedBy,
} from "../../../../src/app/machine/effective/agent-trust.ts";
import { findAgentFiles } from "../../../../src/app/machine/trust/agent-files.ts";
import { grantTrust, revokeTrust } from "../../../../src/app/machine/trust/trust-store.ts";
import { type ConfigProject, createConfigProject } from "../config/config-project.ts";

const HOOKS = '{ "hooks": { "Stop": [] } }';

/** A git repository with these files; the repository is the project. */
function repository(files: readonly string[]): ConfigProject {
  const project = createConfigProject();
  mkdirSync(join(project.root, ".git"));
  for (const file of files) project.write(`project/${file}`, HOOKS);
  return project;
}

function filesFor(
  { root, env }: ConfigProject,
  backends: readonly string[] = ["acp"],
  cwd: string = root,
): readonly string[] {
  return findAgentFiles({ names: namesObeyedBy(backends), cwd, project: { root }, env }).map(
    ({ path }) => path,
  );
}

/** Trusts all that there is now, as `troupe trust` does. */
function trust({ root, env }: ConfigProject, cwd: string = root): void {
  const files = findAgentFiles({ names: namesObeyedBy(["acp"]), cwd, project: { root }, env });
  const agentFiles = Object.fromEntries(files.map(({ path, hash = "" }) => [path, hash]));
  grantTrust(env, { directory: root, hash: "", agentFiles, trustedAt: "2026-01-01T00:00:00.000Z" });
}

test("each backend has the files that its program takes from a project, acp all of them [T18]", () => {
  const all = [
    ...[".claude/settings.json", ".codex/config.toml", ".cursor/mcp.json", ".env"],
    ...[".gemini/settings.json", ".mcp.json", ".opencode/plugin/x.ts", "opencode.json"],
  ];
  const own = ["AGENTS.md", "CLAUDE.md", ".troupe/skills/deploy/SKILL.md"];
  const project = repository([...all, ...own, ".claude/worktrees/a/x.json"]);
  expect(filesFor(project)).toEqual(all);
  expect(filesFor(project, ["acp"])).toEqual(all);
  expect(filesFor(project, ["model"])).toEqual(own.toSorted());
  expect(filesFor(project, ["claude"])).toEqual([".claude/settings.json", ".mcp.json"]);
  expect(filesFor(project, ["codex"])).toEqual([".codex/config.toml"]);
  expect(filesFor(project, ["script", "command", "human"])).toEqual([]);
});

test("they take effect once all of them are trusted, until one changes or another comes [SEC-1, T18]", () => {
  const project = repository([".claude/settings.json", ".mcp.json", ".codex/config.toml"]);
  const trusts = (backend: string) => agentTrust(project.machine(), {})(backend, project.root);
  expect(trusts("claude")).toBe(false);
  trust(project);
  expect([trusts("claude"), trusts("codex")]).toEqual([true, true]);
  project.write("project/.mcp.json", `${HOOKS}\n`);
  expect([trusts("claude"), trusts("codex")]).toEqual([false, true]);
  expect(leftOut(project)).toEqual([".mcp.json"]);
  project.write("project/.mcp.json", HOOKS);
  expect(trusts("claude")).toBe(true);
  project.write("project/.claude/settings.local.json", "{}");
  expect(trusts("claude")).toBe(false);
  trust(project);
  revokeTrust(project.env, project.root);
  expect(trusts("claude")).toBe(false);
});

function leftOut(project: ConfigProject, cwd: string = project.root): readonly string[] {
  const agents = [{ backend: "claude", cwd }];
  return leftOutFiles(project.machine(), {}, agents).map(({ path }) => path);
}

test("without any such file there is nothing to trust, and --trust takes what is there once [SEC-1]", () => {
  const trusted = (project: ConfigProject) =>
    agentTrust(project.machine({ trustsProject: true }), {})("claude", project.root);
  expect(trusted(repository([]))).toBe(false);
  expect(trusted(repository([".mcp.json"]))).toBe(true);
});

test("an agent in a directory below has that directory's files too, each with its own trust [SEC-1, T18]", () => {
  const project = repository([".mcp.json"]);
  const below = join(project.root, "packages/a");
  trust(project);
  project.write("project/packages/a/.claude/settings.json", HOOKS);
  expect(leftOut(project)).toEqual([]);
  expect(leftOut(project, below)).toEqual(["packages/a/.claude/settings.json"]);
  trust(project, below);
  expect(leftOut(project, below)).toEqual([]);
});

test("a worktree is trusted for what the project is trusted for, and not for other content [SEC-1, T18]", () => {
  const project = repository([".claude/settings.json"]);
  trust(project);
  const tree = join(project.root, ".troupe/worktrees/a");
  project.write("project/.troupe/worktrees/a/.git", "gitdir: x");
  project.write("project/.troupe/worktrees/a/.claude/settings.json", HOOKS);
  expect(leftOut(project, tree)).toEqual([]);
  project.write("project/.troupe/worktrees/a/.claude/settings.json", "{}");
  expect(leftOut(project, tree)).toEqual([".claude/settings.json"]);
});

test("a project without git is looked at as far as its root, and the user's home never is [T18]", () => {
  const { home, env, root, write } = createConfigProject();
  write("project/.mcp.json", HOOKS);
  write("project/below/x", "");
  write(".mcp.json", HOOKS);
  write("home/.claude/settings.json", HOOKS);
  const project = { root };
  const paths = (cwd: string) =>
    findAgentFiles({ names: namesObeyedBy(["claude"]), cwd, project, env }).map(({ path }) => path);
  expect(paths(join(root, "below"))).toEqual([".mcp.json"]);
  mkdirSync(join(home, ".git"));
  expect(paths(home)).toEqual([]);
});

test("what cannot be looked at is never trusted: pipes, huge files, very many files [T18, T9]", () => {
  const project = repository([]);
  const codex = join(project.root, ".codex");
  mkdirSync(codex);
  execFileSync("mkfifo", [join(codex, "config.toml")]);
  expect(hashes(project, "codex")).toEqual([undefined]);
  trust(project);
  expect(agentTrust(project.machine(), {})("codex", project.root)).toBe(false);
  project.write("project/.gemini/settings.json", "x".repeat(1_048_577));
  expect(hashes(project, "gemini")).toEqual([undefined]);
  for (let index = 0; index < 510; index += 1) project.write(`project/.claude/x/${index}`, "x");
  expect(hashes(project, "claude").filter((hash) => hash === undefined)).toHaveLength(1);
});

function hashes({ root, env }: ConfigProject, backend: string): readonly (string | undefined)[] {
  const found = findAgentFiles({
    names: namesObeyedBy([backend]),
    cwd: root,
    project: { root },
    env,
  });
  return found.map(({ hash }) => hash);
}

test("links are read through, and lead in no circle [T8, T18]", () => {
  const project = repository(["elsewhere/settings.json"]);
  symlinkSync("elsewhere", join(project.root, ".claude"));
  trust(project);
  expect(leftOut(project)).toEqual([]);
  writeFileSync(join(project.root, "elsewhere/settings.json"), "{}");
  expect(leftOut(project)).toEqual([".claude/settings.json"]);
  symlinkSync(dirname(project.root), join(project.root, "elsewhere/circle"));
  expect(filesFor(project, ["claude"]).length).toBeLessThan(600);
});
