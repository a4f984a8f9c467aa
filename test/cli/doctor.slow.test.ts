import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { examine } from "../../src/app/doctor/examine.ts";
import type { Finding } from "../../src/app/doctor/finding.ts";
import { addProgram, createConfigProject } from "../app/machine/config/config-project.ts";
import { call } from "./fake-io.ts";

const SCRIPTED = "defaults: { backend: script }\n";

function find(findings: readonly Finding[], subject: string): Finding | undefined {
  return findings.find((finding) => finding.subject === subject);
}

test("where runs can work the doctor says so and leaves nothing behind [AGT-14, CLI-1]", async () => {
  const { root, env } = createConfigProject({ user: SCRIPTED });
  const { exitCode, out, err } = await call(root, ["doctor"], { env });
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(out).toMatch(/^✔ project +.*: runs can be kept here$/m);
  expect(out).toMatch(/^✔ default +script \(configured\)/m);
  expect(out).toMatch(/runs can work here\n$/);
  expect(existsSync(join(root, ".troupe/runs"))).toBe(false);
});

test("without a default backend the exit code is 4, and the next command is there [AGT-14, WF-12.order]", async () => {
  const { root, env } = createConfigProject();
  const { exitCode, out } = await call(root, ["doctor", "--json"], {
    env: { ...env, PATH: "/nowhere" },
  });
  expect(exitCode).toBe(4);
  const report: unknown = JSON.parse(out);
  expect(report).toMatchObject({
    v: 1,
    ok: false,
    exitCode: 4,
    findings: expect.arrayContaining([
      expect.objectContaining({
        subject: "default",
        status: "problem",
        hint: expect.stringContaining("--backend script"),
      }),
      expect.objectContaining({ subject: "git", status: "note" }),
    ]),
  });
});

test("a broken configuration is exit code 2, with the place of every problem [CLI-1]", async () => {
  const { root, env } = createConfigProject({ user: "defualts: 1\nnotify: maybe\n" });
  const { exitCode, out } = await call(root, ["doctor"], { env });
  expect(exitCode).toBe(2);
  expect(out).toMatch(/✖ config +.*config\.yaml:1:1 unknown key "defualts"/);
  expect(out).toMatch(/✖ config +.*config\.yaml:2:9 notify must be true or false/);
});

test.runIf(process.platform === "linux")(
  "a project that cannot be written is exit code 1, with a way out [CLI-1]",
  async () => {
    const { env } = createConfigProject({ user: SCRIPTED });
    const { exitCode, out } = await call("/sys/kernel", ["doctor"], { env });
    expect(exitCode).toBe(1);
    expect(out).toMatch(/✖ project +\/sys\/kernel: runs cannot be kept here: E[A-Z]+/);
    expect(out).toContain("TROUPE_DIR");
  },
);

test("a directory of sockets that others may enter is told [T2]", async () => {
  const { root, env } = createConfigProject({ user: SCRIPTED });
  mkdirSync(join(env["XDG_RUNTIME_DIR"] ?? "", "troupe"), { mode: 0o755 });
  const { exitCode, out } = await call(root, ["doctor"], { env });
  expect(exitCode).toBe(1);
  expect(out).toMatch(/✖ sockets +.*others may enter it/);
});

test("what a project wants and is not trusted for is told [SEC-1]", async () => {
  const { root, env } = createConfigProject({
    user: SCRIPTED,
    project: "permissions: { allow: [Bash] }\n",
  });
  const { exitCode, out } = await call(root, ["doctor"], { env });
  expect(exitCode).toBe(0);
  expect(out).toMatch(/▲ config +.*is not trusted.*permissions\.allow.*troupe trust/);
});

test("how agents are signed in is told, and which configuration they have then [AGT-14]", async () => {
  const { root, env, home, machine, write } = createConfigProject({ user: SCRIPTED });
  const bin = join(root, "bin");
  addProgram(bin, "claude", "echo 2.1.330");
  const path = `${bin}:${env["PATH"]}`;
  const key = { ...env, PATH: path, ANTHROPIC_API_KEY: "sk-ant-0123456789" };
  const byKey = await examine({ ...machine(), env: key });
  expect(find(byKey, "claude")).toEqual({
    subject: "claude",
    status: "ok",
    text: `2.1.330 (${bin}/claude); signed in by ANTHROPIC_API_KEY: each agent has a private configuration`,
  });
  expect(JSON.stringify(byKey)).not.toContain("sk-ant");
  write("home/.claude/.credentials.json", "{}");
  const byLogin = await examine({ ...machine(), env: { ...env, PATH: path } });
  expect(find(byLogin, "claude")).toMatchObject({
    status: "ok",
    text: expect.stringContaining(`signed in by the login in ${home}/.claude, which agents use`),
  });
});

test("nobody signed in is a note with the way in, and no default backend [AGT-14, WF-12.order]", async () => {
  const { root, env } = createConfigProject();
  addProgram(join(root, "bin"), "claude", "echo 2.0.1");
  const given = { ...env, PATH: `${join(root, "bin")}:${env["PATH"]}` };
  const { exitCode, out } = await call(root, ["doctor", "--json"], { env: given });
  expect(exitCode).toBe(4);
  const { findings } = JSON.parse(out);
  expect(find(findings, "claude")).toMatchObject({
    status: "note",
    text: expect.stringMatching(/; nobody is signed in; older than 2\.1\.330/),
    hint: "to sign in: start claude once, or set ANTHROPIC_API_KEY",
  });
  expect(find(findings, "default")).toMatchObject({
    status: "problem",
    text: expect.stringContaining("claude: nobody is signed in"),
  });
});

test("what a project configures for programs of agents is told while it is not trusted [SEC-1, T18]", async () => {
  const { root, env, write } = createConfigProject({ user: SCRIPTED });
  write("project/.mcp.json", "{}");
  const { exitCode, out } = await call(root, ["doctor"], { env });
  expect(exitCode).toBe(0);
  expect(out).toMatch(/trust +programs of agents take nothing from .*: \.mcp\.json/);
});

test("programs are asked for their version outside of the project, with nothing secret [AGT-14, T11, T18]", async () => {
  const { root, env, machine } = createConfigProject({
    user: SCRIPTED,
    env: { MY_TOKEN: "t0p-secret" },
  });
  const bin = join(root, "bin");
  addProgram(bin, "claude", 'echo "2.1.0 in $PWD with $MY_TOKEN and $(cat)"');
  addProgram(bin, "codex", "echo no numbers here");
  addProgram(bin, "gemini", "exit 3");
  addProgram(bin, "opencode", "sleep 60");
  addProgram(join(root, "node_modules/.bin"), "goose", "touch PWNED; echo 1.0");
  const path = `node_modules/.bin:${join(root, "node_modules/.bin")}:${bin}:${env["PATH"]}`;
  const given = { ...machine(), env: { ...env, PATH: path } };
  const findings = await examine(given, { versionTimeoutMs: 300 });
  expect(find(findings, "claude")?.text).toMatch(
    /^2\.1\.0 in \/ with {2}and \(.*\/bin\/claude\); nobody is signed in$/,
  );
  expect(find(findings, "codex")?.text).toContain("something else than a version");
  expect(find(findings, "gemini")?.text).toContain("it failed");
  expect(find(findings, "opencode")?.text).toContain("gives no version within 0.3 s");
  expect(find(findings, "goose")).toMatchObject({
    status: "note",
    text: expect.not.stringContaining("node_modules"),
  });
  expect(existsSync(join(root, "PWNED"))).toBe(false);
});

test("a program that answers with control characters cannot drive the terminal [T12]", async () => {
  const { root, env, machine } = createConfigProject({ user: SCRIPTED });
  const bin = join(root, "bin");
  addProgram(bin, "claude", 'printf "1.2 \\033]0;gone\\007\\033[2J"');
  const findings = await examine({ ...machine(), env: { ...env, PATH: `${bin}:/usr/bin:/bin` } });
  expect(find(findings, "claude")?.text).toMatch(/^1\.2 {1,2}\(.*\/claude\); nobody/);
});

test("a check that hangs is told after its deadline, and the others are not held up", async () => {
  const { machine } = createConfigProject({ user: SCRIPTED });
  const stuck = { ...machine(), readConfig: () => new Promise<never>(() => {}) };
  const findings = await examine(stuck, { deadlineMs: 100 });
  expect(find(findings, "config")).toMatchObject({
    status: "warning",
    text: "no answer within 0.1 s",
  });
  expect(find(findings, "project")?.status).toBe("ok");
});

test("a bug report holds no secret and no directory of the user [T11]", async () => {
  const { root, env, home } = createConfigProject({
    env: { MY_TOKEN: "t0p-secret" },
    user: `${SCRIPTED}backends: { codex: { env: { API_KEY: configured-key }, baseUrl: "http://me:passw0rd@host" } }\n`,
  });
  const { exitCode, out } = await call(root, ["doctor", "--bug-report"], { env });
  expect(exitCode).toBe(0);
  expect(out).toContain("- troupe ");
  expect(out).toContain("- configuration: ");
  for (const hidden of ["t0p-secret", "configured-key", "passw0rd", root, home])
    expect(out).not.toContain(hidden);
});

test("--bug-report and --json exclude each other [CLI-1]", async () => {
  const { root, env } = createConfigProject();
  expect((await call(root, ["doctor", "--json", "--bug-report"], { env })).exitCode).toBe(2);
});
