import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { type ConfigProject, createConfigProject } from "../app/machine/config/config-project.ts";
import { type Called, call, createFakeIo } from "./fake-io.ts";
import { ASKING, ONE_STEP, QUESTION } from "./workflows.ts";

const WANTING = 'permissions: { allow: ["Bash(git *)"] }\n';

function troupe({ root, env }: ConfigProject, ...args: readonly string[]): Promise<Called> {
  return call(root, args, { env });
}

function wanting(): ConfigProject {
  const project = createConfigProject({ project: WANTING });
  project.write("project/one.yaml", ONE_STEP);
  project.write("project/cassette.yaml", ASKING);
  return project;
}

const RUN = ["run", "one.yaml", "x", "--cassette", "cassette.yaml"] as const;

test("an untrusted project's rules do not count, and one line says what and how [SEC-1]", async () => {
  const project = wanting();
  const { exitCode, err } = await troupe(project, ...RUN);
  expect(exitCode).toBe(3);
  expect(err.split("\n")[0]).toBe(
    `warning[CONFIG_NOT_TRUSTED]: ${project.root}/.troupe/config.yaml is not trusted, so this is left out: permissions.allow; to take it: troupe trust, or --trust for one run`,
  );
});

test("--trust takes them for one run, and troupe trust from then on [SEC-1, AGT-10]", async () => {
  const project = wanting();
  const once = await troupe(project, ...RUN, "--trust", "--json");
  expect(once).toMatchObject({ exitCode: 0, err: "" });
  expect(once.out).toContain('"by":"policy","comment":"rule Bash(git *)"');
  expect((await troupe(project, ...RUN)).exitCode).toBe(3);
  expect((await troupe(project, "trust", "--yes")).exitCode).toBe(0);
  expect(await troupe(project, ...RUN)).toMatchObject({ exitCode: 0, err: "" });
});

test("trust shows what would take effect before it asks [SEC-1]", async () => {
  const project = wanting();
  const io = createFakeIo({ cwd: project.root, env: project.env, isTerminal: true });
  const done = runCli(["trust", "--color", "never"], io);
  await io.seen("Trust this content in this directory? [y/N] ");
  expect(io.out()).toContain("would take effect:");
  expect(io.out()).toMatch(/- "Bash\(git \*\)" +# project \.troupe\/config\.yaml:1/);
  io.type("y");
  expect(await done).toBe(0);
  expect((await troupe(project, "trust", "--list")).out).toContain(project.root);
});

test.each(["n", "", "yep"])("the answer %j trusts nothing [SEC-1]", async (answer) => {
  const project = wanting();
  const io = createFakeIo({ cwd: project.root, env: project.env, isTerminal: true });
  const done = runCli(["trust"], io);
  await io.seen("[y/N] ");
  io.type(answer);
  expect(await done).toBe(1);
  expect((await troupe(project, "trust", "--list")).out).toBe("no project is trusted\n");
});

test("without a terminal and without --yes nobody is trusted: exit code 2 [SEC-1]", async () => {
  const project = wanting();
  const { exitCode, err } = await troupe(project, "trust");
  expect(exitCode).toBe(2);
  expect(err).toContain("troupe trust --yes");
  expect((await troupe(project, "trust", "--list")).out).toBe("no project is trusted\n");
});

test("the file that changes while the question stands is not trusted with its new content [SEC-1]", async () => {
  const project = wanting();
  const io = createFakeIo({ cwd: project.root, env: project.env, isTerminal: true });
  const done = runCli(["trust"], io);
  await io.seen("[y/N] ");
  project.write("project/.troupe/config.yaml", 'permissions: { allow: ["Bash"] }\n');
  io.type("yes");
  expect(await done).toBe(0);
  expect((await troupe(project, "config")).out).toContain("changed since it was trusted");
});

test("--show tells the state, --revoke ends the trust, --list names the projects [SEC-1, CLI-1]", async () => {
  const project = wanting();
  const show = async () => JSON.parse((await troupe(project, "trust", "--show", "--json")).out);
  expect(await show()).toMatchObject({
    v: 1,
    project: project.root,
    trust: "untrusted",
    wanted: { permissions: { allow: ["Bash(git *)"] } },
  });
  await troupe(project, "trust", "-y");
  expect(await show()).toMatchObject({ trust: "trusted" });
  expect(JSON.parse((await troupe(project, "trust", "--list", "--json")).out)).toMatchObject({
    v: 1,
    projects: [{ directory: project.root }],
  });
  expect((await troupe(project, "trust", "--revoke")).out).toBe(
    `${project.root} is trusted no more\n`,
  );
  expect(await show()).toMatchObject({ trust: "untrusted" });
  expect((await troupe(project, "trust", "--revoke")).out).toBe(
    `${project.root} was not trusted\n`,
  );
});

test("another directory is named by its path, through links too [SEC-1]", async () => {
  const project = wanting();
  project.write("other/.troupe/config.yaml", WANTING);
  const link = join(project.root, "link");
  symlinkSync(join(project.root, "../other"), link);
  expect((await troupe(project, "trust", "link", "-y")).exitCode).toBe(0);
  rmSync(link);
  expect((await troupe(project, "trust", "--list")).out).toMatch(/\/other +\S+Z +[0-9a-f]{12}\n$/);
  expect((await troupe(project, "trust", "nowhere", "-y")).exitCode).toBe(2);
});

test("a project that needs no trust is told so and nothing is asked [SEC-1]", async () => {
  const project = createConfigProject({ project: "notify: true\n" });
  const { exitCode, out } = await troupe(project, "trust");
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^state +nothing in it needs trust$/m);
});

const HOOKS = '{ "hooks": { "Stop": [] } }';
const CLAUDE =
  "name: f\npattern: dag\nagents: [{ id: a, backend: claude }]\nsteps: [{ id: s, agent: a, prompt: go }]\n";

/** A project with configuration for the program of an agent, which is not installed here. */
function configuring(): ConfigProject {
  const project = createConfigProject({ env: { PATH: "/nowhere" } });
  project.write("project/flow.yaml", CLAUDE);
  project.write("project/.claude/settings.json", HOOKS);
  return project;
}

test("what a project configures for programs of agents is left out and told, until it is trusted [SEC-1, T18]", async () => {
  const project = configuring();
  const warning = async (...args: readonly string[]) =>
    (await troupe(project, "run", "flow.yaml", ...args)).err
      .split("\n")
      .find((line) => line.startsWith("warning["));
  expect(await warning()).toBe(
    "warning[CONFIG_AGENTS_NOT_TRUSTED]: what this project configures for the programs of agents is not trusted, so this is left out: .claude/settings.json; to take it: troupe trust, or --trust for one run",
  );
  expect(await warning("-q")).toBeUndefined();
  expect(await warning("--backend", "script")).toBeUndefined();
  expect(await warning("--trust")).toBeUndefined();
  const { out } = await troupe(project, "trust", "-y");
  expect(out).toMatch(/take from it, once trusted:\n {2}\.claude\/settings\.json +not trusted\n/);
  expect(await warning()).toBeUndefined();
  project.write("project/.claude/settings.json", "{}");
  expect(await warning()).toContain(".claude/settings.json");
});

test("--show tells of each such file whether it is trusted, --revoke forgets them [SEC-1, T18]", async () => {
  const project = configuring();
  const show = async () => {
    const { trust, agentFiles } = JSON.parse(
      (await troupe(project, "trust", "--show", "--json")).out,
    );
    return { trust, agentFiles };
  };
  const file = { path: ".claude/settings.json", hash: expect.stringMatching(/^[0-9a-f]{64}$/) };
  const before = { trust: "not-needed", agentFiles: [{ ...file, trusted: false }] };
  expect(await show()).toEqual(before);
  await troupe(project, "trust", "-y");
  expect(await show()).toEqual({ ...before, agentFiles: [{ ...file, trusted: true }] });
  expect((await troupe(project, "trust", "--yes")).out).not.toContain(
    "is trusted with this content",
  );
  await troupe(project, "trust", "--revoke");
  expect(await show()).toEqual(before);
});

test("a file with a hostile name cannot drive the terminal [T12, T18]", async () => {
  const project = configuring();
  project.write("project/.claude/\u001b[2Jx", "");
  expect((await troupe(project, "trust", "--show")).out).not.toContain("\u001b[2J");
  expect((await troupe(project, "run", "flow.yaml")).err).not.toContain("\u001b[2J");
});

test("bypass is said at every start, and for nobody who asks [AGT-10]", async () => {
  const project = createConfigProject();
  const agents = [
    "{ id: wild, backend: script, permissionMode: bypassPermissions }",
    "{ id: tame, backend: script }",
    "{ id: shell, backend: command, command: ls, permissionMode: bypass }",
  ];
  project.write("project/flow.yaml", `name: f\npattern: fan-out\nagents: [${agents.join(", ")}]\n`);
  const { err } = await troupe(project, "run", "flow.yaml", "x");
  expect(err.split("\n")).toContain(
    "warning[CONFIG_BYPASS]: nobody is asked what wild may do (permissionMode bypass); deny rules of the configuration hold",
  );
  expect((await troupe(project, "run", "flow.yaml", "x", "-q")).err).toBe("");
});

test("it is said again when the run goes on [AGT-10]", async () => {
  const project = createConfigProject();
  const agent = "{ id: coder, backend: script, permissionMode: bypass }";
  project.write("project/one.yaml", ONE_STEP.replace("{ id: coder, backend: script }", agent));
  project.write("project/cassette.yaml", QUESTION);
  expect((await troupe(project, ...RUN)).exitCode).toBe(3);
  const { exitCode, err } = await troupe(project, "resume", "@default");
  expect({ exitCode, err }).toMatchObject({
    exitCode: 3,
    err: expect.stringContaining("warning[CONFIG_BYPASS]: nobody is asked what coder may do"),
  });
});

test("a home without write access is a clear error, and --trust still works [SEC-1]", async () => {
  const project = wanting();
  const env = { ...project.env, XDG_STATE_HOME: "/sys/kernel/nobody" };
  const { exitCode, err } = await call(project.root, ["trust", "-y"], { env });
  expect(exitCode).toBe(2);
  expect(err).toMatch(
    /^error\[TRUST_UNWRITABLE\]: \/sys\/kernel\/nobody\/troupe\/trust\.json cannot be written: /,
  );
  expect((await call(project.root, [...RUN, "--trust"], { env })).exitCode).toBe(0);
});

test.each([
  [["--show", "--list"]],
  [["--revoke", "--list"]],
  [["--json"]],
  [["--revoke", "--json"]],
])("%j do not go together [CLI-1]", async (options) => {
  expect((await troupe(wanting(), "trust", ...options)).exitCode).toBe(2);
});
