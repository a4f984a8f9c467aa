import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sandboxProblem } from "../../../src/agents/places/confine-agent.ts";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import type { AgentSpec } from "../../../src/contracts/agent.ts";
import type { AgentBackend } from "../../../src/contracts/backend.ts";
import { has } from "../../machine.ts";
import { createProject, type PlacedProject, runPlaced } from "./placed-run.ts";

const BACKEND: AgentBackend = {
  ...{ name: "b", conventions: "text", demandsSignal: false, takesMessages: true },
  livesInSandbox: true,
  check: async () => [],
  open: () => Promise.reject(new Error("it is never opened")),
};

function workflow(command: string, constraints: object = {}, backend = "command") {
  const agent = { id: "one", backend, isolation: "sandbox", constraints };
  const how = backend === "command" ? { command } : {};
  return {
    pattern: "dag",
    agents: [{ ...agent, ...how }],
    steps: [{ id: "s", agent: "one", prompt: "work" }],
  };
}

function withoutBubblewrap(project: PlacedProject): PlacedProject {
  const env = { ...project.machine.env, PATH: join(project.root, "bin") };
  return { ...project, machine: createMachineAt({ cwd: project.root, env }) };
}

test("without bubblewrap no agent of the run starts; --unsandboxed starts it, and the journal says so [AGT-13, T18]", async () => {
  const project = withoutBubblewrap(createProject(false));
  const command = workflow("echo x > out.txt");
  await expect(runPlaced(project, command)).rejects.toMatchObject({
    code: "BACKEND_PREFLIGHT_FAILED",
    message: expect.stringContaining("bubblewrap (bwrap) is not installed"),
  });
  expect(existsSync(join(project.root, "out.txt"))).toBe(false);
  const end = await runPlaced(project, command, { unsandboxed: true });
  expect([end.outcome, end.all("agent-placed").map(({ isConfined }) => isConfined)]).toEqual([
    "completed",
    [false],
  ]);
});

test("an agent of a person has no process that could be confined [AGT-13, AGT-14]", async () => {
  await expect(runPlaced(createProject(false), workflow("", {}, "human"))).rejects.toMatchObject({
    code: "BACKEND_PREFLIGHT_FAILED",
    message: expect.stringContaining("agents of backend human have no process of their own"),
  });
});

test("what asks a model over the network cannot be cut off from it, nor anything without a sandbox [AGT-12]", () => {
  const problemOf = (isolation: AgentSpec["isolation"], metering: AgentBackend["metering"]) => {
    const where = isolation === undefined ? {} : { isolation };
    const spec = { id: "one", backend: "b", constraints: { network: false }, ...where };
    const backend = { ...BACKEND, modelAddresses: () => ["model.example"] };
    const stated = { ...backend, ...(metering === undefined ? {} : { metering }) };
    const place = { cwd: "/home/me/app", home: "/home/me", isUnsandboxed: false };
    return sandboxProblem(spec, stated, place)?.message;
  };
  expect(problemOf("sandbox", "free")).toBeUndefined();
  expect(problemOf("sandbox", "tokens")).toContain("reaches its model over the network");
  expect(problemOf(undefined, "free")).toContain("only a sandbox keeps it off the network");
});

test("a backend that was not shown to live in a sandbox is refused by its name; one that plays a script lives [SEC-5.refused]", () => {
  const spec = { id: "one", backend: "b", isolation: "sandbox" } as const;
  const place = { cwd: "/home/me/app", home: "/home/me", isUnsandboxed: false };
  const distant = { ...BACKEND, name: "distant", livesInSandbox: false };
  expect(sandboxProblem(spec, distant, place)).toMatchObject({
    code: "AGENT_SANDBOX_IMPOSSIBLE",
    message: expect.stringContaining("the program of backend distant is not known"),
  });
  expect(sandboxProblem(spec, distant, { ...place, isUnsandboxed: true })).toBeUndefined();
  // It uses no model, and tells exactly what it used.
  expect(sandboxProblem(spec, { ...BACKEND, metering: "exact" }, place)).toBeUndefined();
});

describe.runIf(has("bubblewrap"))("a sandboxed agent", () => {
  test("works in its directory, sees no secrets and no other runs, and has its task [AGT-13, T11, T16]", async () => {
    const project = createProject(false);
    const { HOME = "" } = project.machine.env;
    mkdirSync(join(HOME, ".ssh"));
    writeFileSync(join(HOME, ".ssh/id"), "secret");
    const command = [
      'cat "$TROUPE_TASK_FILE"',
      "echo made > made.txt",
      "cat ~/.ssh/id .troupe/runs/*/journal.db",
      "mkdir -p .claude && echo x > .claude/settings.json",
      "mkdir -p .git/hooks && echo x > .git/hooks/pre-commit",
      "echo x > .troupe/config.yaml",
      `echo x > ${HOME}/x`,
    ].join("; ");
    const end = await runPlaced(project, workflow(`{ ${command}; } 2>/dev/null; true`));
    expect(end.outcome).toBe("completed");
    expect(end.all("step-completed").map(({ output }) => output)).toEqual(["work"]);
    expect(readFileSync(join(project.root, "made.txt"), "utf8")).toBe("made\n");
    for (const path of [".claude", ".git", ".troupe/config.yaml"])
      expect(existsSync(join(project.root, path))).toBe(false);
    expect(existsSync(join(HOME, "x"))).toBe(false);
    expect(end.all("agent-placed").map(({ isConfined }) => isConfined)).toEqual([true]);
  });

  test("writes nothing that git obeys, neither of its project nor of a repository within [AGT-13, T18]", async () => {
    const project = createProject();
    project.git("init", "--quiet", "vendor/lib");
    const config = [".git/config", "vendor/lib/.git/config"];
    const before = config.map((path) => readFileSync(join(project.root, path), "utf8"));
    const command = [".git", "vendor/lib/.git"]
      .map(
        (git) => `mkdir -p ${git}/hooks; echo x > ${git}/hooks/pre-commit; echo x >> ${git}/config`,
      )
      .join("; ");
    const end = await runPlaced(
      project,
      workflow(`{ ${command}; echo y > vendor/lib/y; } 2>/dev/null; true`),
    );
    expect(end.outcome).toBe("completed");
    expect(existsSync(join(project.root, "vendor/lib/y"))).toBe(true);
    expect(config.map((path) => readFileSync(join(project.root, path), "utf8"))).toEqual(before);
    for (const git of [".git", "vendor/lib/.git"])
      expect(existsSync(join(project.root, git, "hooks/pre-commit"))).toBe(false);
  });

  test("cannot even write what its constraints protect [AGT-12]", async () => {
    const project = createProject(false);
    project.write("docs/a.md", "a\n");
    const constraints = { fileScope: { include: ["src/**"] }, readOnly: ["src/a.txt"] };
    const command = "echo x > docs/a.md; echo x > src/a.txt; echo new > src/new.txt";
    const end = await runPlaced(
      project,
      workflow(`{ ${command}; } 2>/dev/null; true`, constraints),
    );
    expect([end.outcome, end.all("place-breached")]).toEqual(["completed", []]);
    expect(readFileSync(join(project.root, "docs/a.md"), "utf8")).toBe("a\n");
    expect(readFileSync(join(project.root, "src/a.txt"), "utf8")).toBe("a\n");
    expect(readFileSync(join(project.root, "src/new.txt"), "utf8")).toBe("new\n");
  });

  test("reaches Troupe's tools by its own commands, which find no socket, and is told what it was kept from [SEC-5.network, MCP-2, T13.sandbox]", async () => {
    const project = createProject(false);
    const troupe = `"${process.execPath}" "${join(import.meta.dirname, "../../../bin/troupe.js")}"`;
    const hello = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "x", version: "1" },
      },
    };
    const command = [
      `${troupe} context send "made of $(printenv TROUPE_CONTEXT_SOCKET | wc -c) sockets"`,
      `{ printf '%s\\n' '${JSON.stringify(hello)}'; until grep -q result said.txt; do sleep 0.1; done; } | ${troupe} mcp --agent one > said.txt`,
      "cat said.txt",
      `"${process.execPath}" -e 'fetch("https://far.example/").catch(() => {})'`,
    ].join("; ");
    const end = await runPlaced(project, workflow(command));
    expect(end.outcome).toBe("completed");
    expect(end.all("message-posted").map(({ from, text }) => [from, text])).toContainEqual([
      "one",
      "made of 0 sockets",
    ]);
    const [{ output } = { output: "" }] = end.all("step-completed");
    expect(output).toContain('"serverInfo"');
    expect(end.all("place-breached")).toMatchObject([
      {
        breaches: [{ rule: "network", path: "far.example:443", reason: "it is not listed" }],
        failed: false,
      },
    ]);
  });
});
