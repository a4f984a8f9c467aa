import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startDaemon } from "../../../../src/app/background/start-daemon.ts";
import { loadConfig } from "../../../../src/app/machine/config/load-config.ts";
import { createMachineAt } from "../../../../src/app/machine/machine.ts";
import { makeRunsDirectory } from "../../../../src/app/machine/place/believed-places.ts";
import { findProject } from "../../../../src/app/machine/place/project.ts";
import { createRunOrigins } from "../../../../src/app/machine/seals/run-origins.ts";
import { createAgentTypeFinder } from "../../../../src/app/workflow/agent-types.ts";
import { registeredWorkflows } from "../../../../src/app/workflow/registry/registry-files.ts";
import { rotateLog } from "../../../../src/daemon/daemon-log.ts";
import { systemClock } from "../../../../src/foundation/clock.ts";
import { has } from "../../../machine.ts";

const NOBODY = 65534;
const isRoot = has("root");

/** A group with other members that this user may give a directory to. */
function sharedGroup(): number | undefined {
  if (isRoot) return 100;
  return process.getgroups?.().find((group) => group !== process.getuid?.());
}

test("a .troupe above that others may write to is passed over, and the nearest own one is taken [SEC-6.owner, T8]", () => {
  const top = createPlace();
  const start = join(top, "own", "deep");
  mkdirSync(join(top, "own", ".troupe"), { recursive: true });
  mkdirSync(start);
  mkdirSync(join(top, ".troupe"));
  chmodSync(join(top, ".troupe"), 0o777);
  expect(findProject(start, {}).root).toBe(join(top, "own"));
  rmSync(join(top, "own", ".troupe"), { recursive: true });
  expect(findProject(start, {}).root).toBe(start);
  chmodSync(join(top, ".troupe"), 0o755);
  expect(findProject(start, {}).root).toBe(top);
  chmodSync(top, 0o777);
  expect(findProject(start, {}).root).toBe(start);
  // As the directory of temporary files is: nobody can put something else in the place of what is another's.
  chmodSync(top, 0o1777);
  expect(findProject(start, {}).root).toBe(top);
});

test.for([0o777, 0o775, 0o757])(
  "the .troupe of the directory itself with mode %o is refused with what to do, also by TROUPE_DIR [SEC-6.owner]",
  (mode, { skip }) => {
    const top = createPlace();
    const troupe = join(top, ".troupe");
    mkdirSync(troupe);
    chmodSync(troupe, mode);
    if (mode === 0o775) {
      const group = sharedGroup();
      if (group === undefined) skip("in no group but the user's own, which others are not in");
      else chownSync(troupe, process.getuid?.() ?? 0, group);
    }
    const refused = {
      code: "PROJECT_FOREIGN",
      message: expect.stringContaining("may be written by others"),
      hint: expect.stringContaining("chmod go-w"),
    };
    expect(() => findProject(top, {})).toThrow(expect.objectContaining(refused));
    expect(() => findProject(top, { TROUPE_DIR: troupe })).toThrow(
      expect.objectContaining(refused),
    );
  },
);

test("the group of the user alone may write the .troupe [SEC-6.owner]", ({ skip }) => {
  if (process.getuid?.() !== process.getgid?.()) skip("where users have no group of their own");
  const top = createPlace();
  mkdirSync(join(top, ".troupe"));
  chmodSync(join(top, ".troupe"), 0o775);
  expect(findProject(top, {}).root).toBe(top);
});

test.runIf(isRoot)(
  "root takes a checkout that is all of one user, and no .troupe that a user put above or into root's [SEC-6.owner]",
  () => {
    const top = createPlace();
    mkdirSync(join(top, ".troupe"));
    mkdirSync(join(top, "work"));
    chownSync(join(top, ".troupe"), NOBODY, NOBODY);
    expect(findProject(join(top, "work"), {}).root).toBe(join(top, "work"));
    expect(() => findProject(top, {})).toThrow(
      expect.objectContaining({ code: "PROJECT_FOREIGN" }),
    );
    chownSync(top, NOBODY, NOBODY);
    expect(findProject(top, {}).root).toBe(top);
    expect(findProject(join(top, "work"), {}).root).toBe(join(top, "work"));
  },
);

test.each([".troupe", ".troupe/runs"])(
  "%s that is a link out of the project is refused; TROUPE_DIR says where else it may lie [SEC-6.links, T8]",
  (path) => {
    const top = createPlace();
    const elsewhere = createPlace();
    if (path !== ".troupe") mkdirSync(join(top, ".troupe"));
    symlinkSync(elsewhere, join(top, path));
    expect(() => findProject(top, {})).toThrow(
      expect.objectContaining({
        code: "PROJECT_FOREIGN",
        message: expect.stringContaining("leads out"),
      }),
    );
    if (path === ".troupe")
      expect(findProject(top, { TROUPE_DIR: join(top, ".troupe") }).root).toBe(top);
  },
);

test("a state directory that others may write to is refused with what to do [SEC-6.owner]", () => {
  const top = createPlace();
  const env = { TROUPE_HOME: join(top, "state") };
  createMachineAt({ cwd: top, env });
  mkdirSync(env.TROUPE_HOME);
  const refused = {
    code: "STATE_FOREIGN",
    hint: expect.stringContaining(`chmod 700 ${env.TROUPE_HOME}`),
  };
  chmodSync(env.TROUPE_HOME, 0o777);
  expect(() => createMachineAt({ cwd: top, env })).toThrow(expect.objectContaining(refused));
  chmodSync(env.TROUPE_HOME, 0o755);
  createMachineAt({ cwd: top, env });
  if (!isRoot) return;
  chownSync(env.TROUPE_HOME, NOBODY, NOBODY);
  expect(() => createMachineAt({ cwd: top, env })).toThrow(expect.objectContaining(refused));
});

test.each([
  ["of the user", "state"],
  ["of the project", join("project", ".troupe")],
])(
  "a configuration %s that others may write to is not believed [SEC-6.owner]",
  async (_title, at) => {
    const top = createPlace();
    const cwd = join(top, "project");
    mkdirSync(join(cwd, ".troupe"), { recursive: true });
    mkdirSync(join(top, "state"));
    const file = join(top, at, "config.yaml");
    writeFileSync(file, "workflows:\n  enabled: true\n");
    const env = { TROUPE_HOME: join(top, "state"), HOME: top };
    const load = () => loadConfig({ project: findProject(cwd, env), env, trusts: false });
    expect((await load()).problems).toEqual([]);
    chmodSync(file, 0o666);
    await expect(load()).rejects.toMatchObject({ code: "CONFIG_FOREIGN" });
  },
);

test("a key that others can read signs nothing [SEC-6.owner, SEC-2.sealed]", () => {
  const state = join(createPlace(), "state");
  createRunOrigins(state).sign("run_a", "x");
  chmodSync(join(state, "key"), 0o644);
  expect(() => createRunOrigins(state).sign("run_a", "x")).toThrow(
    expect.objectContaining({
      code: "RUN_KEY_UNUSABLE",
      message: expect.stringContaining("others may read it"),
    }),
  );
});

test.each(["link", "open"])(
  "types of agents of a project and registered workflows are refused: %s [SEC-6.owner, SEC-6.links]",
  async (how) => {
    const top = createPlace();
    const elsewhere = join(createPlace(), "b");
    const env = { TROUPE_HOME: join(top, "state"), HOME: join(top, "home") };
    const place = (directory: string, name: string, text: string) => {
      mkdirSync(join(top, ".troupe", directory), { recursive: true });
      const file = join(top, ".troupe", directory, name);
      writeFileSync(how === "link" ? elsewhere : file, text);
      if (how === "link") symlinkSync(elsewhere, file);
      else chmodSync(file, 0o666);
    };
    const surroundings = { env, project: findProject(top, env), trustsProject: true };
    place("agents", "a.md", "---\nname: a\ndescription: d\n---\nDo it.\n");
    expect(createAgentTypeFinder(surroundings).find("a")).toMatchObject({ status: "refused" });
    place("workflows", "w.yaml", "id: w\nsteps: []\n");
    const { config } = await loadConfig({ project: surroundings.project, env, trusts: true });
    if (config === undefined) throw new RangeError("no configuration");
    expect(registeredWorkflows(surroundings, config)).toMatchObject([{ isTrusted: false }]);
  },
);

test("the log of the daemon is never written through a link, neither at its start nor when it is turned over [SEC-6.links]", async () => {
  const state = join(createPlace(), "state");
  mkdirSync(state);
  const victim = join(state, "..", "victim");
  writeFileSync(victim, "mine".repeat(100));
  const log = join(state, "daemon.log");
  symlinkSync(victim, log);
  const client = { env: { TROUPE_HOME: state }, clock: systemClock };
  await expect(startDaemon(client, async () => true)).rejects.toMatchObject({
    code: "DAEMON_STATE_UNWRITABLE",
  });
  rotateLog(log, 10);
  rmSync(log);
  writeFileSync(log, "long enough to be turned");
  symlinkSync(victim, `${log}.1`);
  rotateLog(log, 10);
  expect(readFileSync(victim, "utf8")).toBe("mine".repeat(100));
  expect(readFileSync(`${log}.1`, "utf8")).toBe("long enough to be turned");
});

function createPlace(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-o-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test.each(["", ".troupe/runs"])(
  "no runs are made or believed where others could put their own: '%s' [SEC-6.owner]",
  (name) => {
    const top = createPlace();
    const places = {
      troupeDirectory: join(top, ".troupe"),
      runsDirectory: join(top, ".troupe/runs"),
    };
    if (name !== "") mkdirSync(places.runsDirectory, { recursive: true });
    chmodSync(join(top, name), 0o777);
    const refused = expect.objectContaining({ code: "PROJECT_FOREIGN" });
    if (name === "") expect(() => makeRunsDirectory({ ...places, cwd: top })).toThrow(refused);
    else expect(() => findProject(top, {})).toThrow(refused);
    chmodSync(join(top, name), 0o755);
    makeRunsDirectory({ ...findProject(top, {}) });
    expect(statSync(places.runsDirectory).isDirectory()).toBe(true);
  },
);
