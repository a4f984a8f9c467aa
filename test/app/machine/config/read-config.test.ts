import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { showProblems } from "../../../../src/app/catalogue/show-problems.ts";
import { configOf } from "../../../../src/app/machine/effective/effective-config.ts";
import { createMachineAt, type Machine } from "../../../../src/app/machine/machine.ts";
import { createConfigProject, valuesOf } from "./config-project.ts";

async function problemsOf(machine: Machine): Promise<readonly string[]> {
  const { problems } = await machine.readConfig();
  return problems.map(({ code, line, column, message }) => `${code} ${line}:${column} ${message}`);
}

describe("the order of the files", () => {
  test("without any file all is default and no file is made [SEC-1]", async () => {
    const { machine, home, root } = createConfigProject();
    const config = await configOf(machine());
    expect(config.settings).toEqual({
      defaults: { permissionMode: "ask", timeout: "10m" },
      limits: { maxDepth: 1 },
      collab: { defaultWaitTimeout: "5m", maxWaitTimeout: "1h" },
      notify: false,
      engine: "embedded",
    });
    expect(config.trust).toBe("not-needed");
    expect(existsSync(home)).toBe(false);
    expect(existsSync(join(root, ".troupe", "config.yaml"))).toBe(false);
  });

  test("the project wins over the user, value by value, and each knows its place", async () => {
    const { machine } = createConfigProject({
      user: "defaults:\n  backend: codex\n  timeout: 5m\nlimits: { maxAgents: 3 }\n",
      project: "defaults:\n  backend: script\nlimits:\n  hostConcurrency: 2\n",
    });
    expect(await valuesOf(machine())).toEqual([
      'defaults.timeout = "5m" (user:3)',
      'defaults.backend = "script" (project:2)',
      "limits.maxAgents = 3 (user:4)",
      "limits.hostConcurrency = 2 (project:4)",
    ]);
  });

  test("rules, allowed variables and secrets of all files count together", async () => {
    const { machine } = createConfigProject({
      user: "permissions: { deny: [Read] }\nsecrets: [ONE]\n",
      project: "permissions: { deny: [Bash], allow: [] }\nsecrets: [TWO, ONE]\n",
    });
    const { settings } = await configOf(machine({ trustsProject: true }));
    expect(settings.permissions).toEqual({ deny: ["Read", "Bash"] });
    expect(settings.secrets).toEqual(["ONE", "TWO"]);
  });

  test("hosts of all files count together, those of a project once it is trusted [SEC-1, SEC-5.network]", async () => {
    const { machine } = createConfigProject({
      user: 'sandbox: { network: [good.example, "*.pack.example:8443"] }\n',
      project: "sandbox: { network: [localhost:5432, good.example] }\n",
    });
    const networkOf = async (trustsProject: boolean) =>
      (await configOf(machine({ trustsProject }))).settings.sandbox?.network;
    expect(await networkOf(false)).toEqual(["good.example", "*.pack.example:8443"]);
    expect(await networkOf(true)).toEqual([
      ...["good.example", "*.pack.example:8443", "localhost:5432"],
    ]);
    for (const place of ["*", "*.com", "127.1", "good.example:https", "user@good.example"]) {
      const wrong = createConfigProject({ user: `sandbox: { network: ["${place}"] }\n` });
      expect(await problemsOf(wrong.machine())).toEqual([
        expect.stringContaining("write a host, *.host or address"),
      ]);
    }
  });

  test("lists of one meaning are replaced, maps are merged by name", async () => {
    const { machine } = createConfigProject({
      user: 'backends: { codex: { args: [a], env: { A: "1", B: "1" } } }\nprices: { "a/b": { inputPerMTok: 1, outputPerMTok: 2 } }\n',
      project:
        'backends: { codex: { args: [b, c], env: { B: "2" } } }\nprices: { "c/d": { inputPerMTok: 3, outputPerMTok: 4 } }\n',
    });
    const { settings } = await configOf(machine({ trustsProject: true }));
    expect(settings.backends).toEqual({ codex: { args: ["b", "c"], env: { A: "1", B: "2" } } });
    expect(Object.keys(settings.prices ?? {})).toEqual(["a/b", "c/d"]);
  });

  test.each([
    [{ TROUPE_HOME: "HOME/elsewhere" }, "home/elsewhere/config.yaml"],
    [{ XDG_CONFIG_HOME: "HOME/xdg" }, "home/xdg/troupe/config.yaml"],
    [{ XDG_CONFIG_HOME: "relative" }, "home/.config/troupe/config.yaml"],
    [{}, "home/.config/troupe/config.yaml"],
  ])("with %j the user's file is %s", async (given, path) => {
    const project = createConfigProject();
    const env = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace("HOME", project.home)]),
    );
    project.write(path, "notify: true\n");
    const machine = createMachineAt({ cwd: project.root, env: { ...project.env, ...env } });
    expect((await configOf(machine)).settings.notify).toBe(true);
  });

  test("TROUPE_DIR moves the project's file", async () => {
    const project = createConfigProject();
    project.write("project/other/config.yaml", "notify: true\n");
    const env = { ...project.env, TROUPE_DIR: join(project.root, "other") };
    const machine = createMachineAt({ cwd: project.root, env });
    expect((await configOf(machine)).settings.notify).toBe(true);
  });

  test("a file of comments only says nothing", async () => {
    const { machine } = createConfigProject({ project: "# nothing yet\n" });
    expect(await valuesOf(machine())).toEqual([]);
  });
});

describe("how long agents wait for those that they have spawned", () => {
  const waits = (texts: Parameters<typeof createConfigProject>[0]) =>
    problemsOf(createConfigProject(texts).machine());

  test("a time that is none is refused at its place, with what to write [COL-8]", async () => {
    expect(
      await waits({
        user: "collab:\n  defaultWaitTimeout: soon\n  maxWaitTimeout: 10ms\n  wait: 5m\n",
      }),
    ).toEqual([
      expect.stringMatching(/^CONFIG_VALUE 2:23 .*defaultWaitTimeout/),
      expect.stringMatching(/^CONFIG_VALUE 3:19 .*maxWaitTimeout/),
      expect.stringMatching(/^CONFIG_UNKNOWN_KEY 4:3 .*wait/),
    ]);
  });

  test("a usual time above the longest one is refused where the last file says so [COL-8]", async () => {
    const longer = (usual: string, most: string) =>
      `collab.defaultWaitTimeout is ${usual}, which is longer than collab.maxWaitTimeout, ${most}`;
    expect(await waits({ user: "collab: { defaultWaitTimeout: 2h }\n" })).toEqual([
      `CONFIG_VALUE 1:31 ${longer("2h", "1h")}`,
    ]);
    const files = {
      user: "collab: { defaultWaitTimeout: 10m }\n",
      project: "collab: { maxWaitTimeout: 5m }\n",
    };
    expect(await waits(files)).toEqual([`CONFIG_VALUE 1:27 ${longer("10m", "5m")}`]);
    const { problems } = await createConfigProject(files).machine().readConfig();
    expect(problems).toMatchObject([
      {
        file: expect.stringContaining(".troupe/config.yaml"),
        hint: expect.stringContaining("at most 5m"),
      },
    ]);
    expect(await waits({ user: "collab: { maxWaitTimeout: 1m }\n" })).toEqual([]);
  });
});

describe("a configuration with problems", () => {
  test("tells all of them at once, at their places [SEC-1]", async () => {
    const { machine } = createConfigProject({
      user: "defaults: { timeout: soon }\n",
      project: [
        "defualts: { backend: x }",
        "defaults: { backend: clade, maxConcurrency: many, permissionMode: yolo }",
        "limits: { maxAgents: 0 }",
        'permissions: { allow: ["no rule"] }',
        "backends: { claude: { type: acp }, mine: {} }",
        "secrets: [1]",
        "prices: { m: { inputPerMTok: 1 } }",
      ].join("\n"),
    });
    expect(await problemsOf(machine())).toEqual([
      "CONFIG_VALUE 1:22 defaults.timeout is not valid: write a number and a unit: 30s, 10m, 2h",
      'CONFIG_UNKNOWN_KEY 1:1 unknown key "defualts" in the configuration',
      'CONFIG_VALUE 2:22 defaults.backend is "clade", which is no backend',
      "CONFIG_TYPE 2:45 defaults.maxConcurrency must be a number, got a text",
      'CONFIG_VALUE 2:67 defaults.permissionMode cannot be "yolo"',
      "CONFIG_VALUE 3:22 limits.maxAgents is too small: at least 1",
      'CONFIG_VALUE 4:24 permissions.allow has "no rule", which is no rule',
      "CONFIG_VALUE 5:13 backends.claude has a type, but claude is a backend of troupe itself",
      "CONFIG_MISSING_KEY 5:36 backends.mine is no backend of troupe, and has no type",
      "CONFIG_TYPE 6:11 secrets.0 must be a text, got a number",
      'CONFIG_MISSING_KEY 7:16 the key "outputPerMTok" is missing in prices.m',
    ]);
    await expect(configOf(machine())).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("the configuration has 11 problems"),
    });
  });

  test("shows them in frames like those of workflow files", async () => {
    const { machine, root } = createConfigProject({
      project: "version: 1\ndefaults:\n  backand: claude\nnotify: true\n",
    });
    const { problems, sources } = await machine().readConfig();
    expect((await showProblems(problems, "text", { sources })).replaceAll(root, "PROJECT")).toBe(
      [
        'error[CONFIG_UNKNOWN_KEY]: unknown key "backand" in defaults',
        " --> PROJECT/.troupe/config.yaml:3:3",
        "  |",
        "2 | defaults:",
        "3 |   backand: claude",
        "  |   ^^^^^^^",
        "4 | notify: true",
        '  = did you mean "backend"?  known: backend, model, permissionMode, maxConcurrency, timeout',
      ].join("\n"),
    );
  });

  test("never shows a secret that stands in the lines around them [T11]", async () => {
    const { machine } = createConfigProject({
      env: { SOME_TOKEN: "hunter2hunter2" },
      project: [
        "backends:",
        "  codex:",
        "    env: { API_KEY: 1234567, PLAIN: sesame-open }",
        '    baseUrl: "http://me:password1@host"',
        "    modle: hunter2hunter2",
      ].join("\n"),
    });
    const { problems, sources } = await machine().readConfig();
    const shown = await showProblems(problems, "text", { sources });
    expect(problems.map(({ code }) => code)).toEqual(["CONFIG_TYPE", "CONFIG_UNKNOWN_KEY"]);
    for (const secret of ["1234567", "sesame-open", "password1", "hunter2"])
      expect(shown).not.toContain(secret);
  });

  test("hides values of secret names also where the text cannot be parsed [T11]", async () => {
    const { machine } = createConfigProject({
      project: "backends:\n  codex: { apiKeyEnv: NAME, env: { API_KEY: sk-12345, B: [ } }\n",
    });
    const { problems, sources } = await machine().readConfig();
    const shown = await showProblems(problems, "text", { sources });
    expect(problems[0]?.code).toBe("CONFIG_SYNTAX");
    expect(shown).not.toContain("sk-12345");
    expect(shown).toContain("apiKeyEnv: NAME");
  });

  test.each([
    ["a tag", "notify: !!js/function x", "CONFIG_SYNTAX"],
    ["a key twice", "notify: true\nnotify: false", "CONFIG_SYNTAX"],
    ["a key of prototypes", "__proto__: { notify: true }", "CONFIG_SYNTAX"],
    [
      "a key of prototypes inside",
      "backends: { claude: { env: { constructor: x } } }",
      "CONFIG_SYNTAX",
    ],
    ["too many levels", `notify: ${"[".repeat(100)}`, "CONFIG_SYNTAX"],
    ["a bomb of aliases", bomb(), "CONFIG_SYNTAX"],
    ["a control character", "notify: \u0001", "CONFIG_SYNTAX"],
    ["a list", "- notify", "CONFIG_TYPE"],
  ])("refuses %s [T9, T10]", async (_what, project, code) => {
    const { machine } = createConfigProject({ project });
    const { config, problems } = await machine().readConfig();
    expect(config).toBeUndefined();
    expect(problems[0]?.code).toBe(code);
  });

  test("refuses a file that is too large, no text, or no file [T9]", async () => {
    const large = createConfigProject({ project: `# ${"x".repeat(1_048_576)}\n` });
    await expect(large.machine().readConfig()).rejects.toMatchObject({ code: "CONFIG_TOO_LARGE" });
    const binary = createConfigProject();
    writeFileSync(join(binary.root, ".troupe/config.yaml"), Buffer.from([0xff, 0xfe, 0x00]));
    await expect(binary.machine().readConfig()).rejects.toMatchObject({ code: "FILE_NOT_TEXT" });
    const directory = createConfigProject();
    mkdirSync(join(directory.root, ".troupe/config.yaml"));
    await expect(directory.machine().readConfig()).rejects.toMatchObject({
      code: "FILE_UNREADABLE",
    });
  });

  test("refuses a project's file that is a link to somewhere else [T8, T11, T18]", async () => {
    const project = createConfigProject();
    project.write("home/.aws/credentials", "aws_secret_access_key = abc\n");
    symlinkSync(
      join(project.home, ".aws/credentials"),
      join(project.root, ".troupe", "config.yaml"),
    );
    await expect(project.machine().readConfig()).rejects.toMatchObject({
      code: "CONFIG_OUTSIDE",
      message: expect.not.stringContaining("abc"),
    });
  });
});

test("providers of models take where and how they are asked, and nothing of programs [LOOP-9.configuration]", async () => {
  const { machine } = createConfigProject({
    user: [
      "backends:",
      "  anthropic: { baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: A_KEY, contextWindow: 9000 }",
      "  openai: { api: chat, command: x }",
      "  mine: { type: model, baseUrl: 'http://127.0.0.1:1/v1', args: [x] }",
      "  claude: { api: chat }",
    ].join("\n"),
  });
  const { config, problems } = await machine().readConfig();
  expect(problems.map(({ code, line }) => `${code} ${line}`)).toEqual(
    [3, 4, 5].map((line) => `CONFIG_NOT_SUPPORTED ${line}`),
  );
  expect(config?.unsupported).toEqual([
    ...["backends.openai.command", "backends.mine.args", "backends.claude.api"],
  ]);
  expect(config?.settings.backends?.["anthropic"]).toMatchObject({ contextWindow: 9000 });
});

test("keys without an effect in this version are told one by one [SEC-1]", async () => {
  const { machine } = createConfigProject({
    user: [
      "engine: { restate: 'http://127.0.0.1:8080' }",
      "backends:",
      "  model: { model: m, args: [] }",
      "  script: { model: m, env: { A: b } }",
      "limits: { accountConcurrency: 2, hostConcurrency: 1 }",
    ].join("\n"),
  });
  const { config, problems } = await machine().readConfig();
  expect(problems.every(({ severity }) => severity === "warning")).toBe(true);
  expect(problems.map(({ code, line }) => `${code} ${line}`)).toEqual(
    [1, 3, 4].map((line) => `CONFIG_NOT_SUPPORTED ${line}`),
  );
  expect(config?.unsupported).toEqual([
    ...["backends.model.args", "backends.script.model"],
    "engine",
  ]);
});

test("what a day may cost holds for the user and for the project, whatever the other says [LIM-day]", async () => {
  const { machine } = createConfigProject({
    user: "budget: { perDay: 10 }\n",
    project: "budget: { perDay: 50 }\n",
  });
  const { config, problems } = await machine().readConfig();
  expect(problems).toEqual([]);
  expect(config?.perDay).toEqual({ user: 10, project: 50 });
  const { config: none } = await createConfigProject({}).machine().readConfig();
  expect(none?.perDay).toEqual({});
});

test("a role takes what agents take, and its backend must be one; that of a plug-in needs the plug-in [COL-5, SEC-1]", async () => {
  const read = async (user: string) => createConfigProject({ user }).machine().readConfig();
  const whole =
    "roles: { scout: { backend: codex, model: m, instructions: Look., permissionMode: plan, tools: [Read], isolation: sandbox } }\n";
  const { config, problems } = await read(whole);
  expect(problems).toEqual([]);
  expect(config?.settings.roles).toEqual({
    scout: {
      ...{ backend: "codex", model: "m", instructions: "Look.", permissionMode: "plan" },
      ...{ tools: ["Read"], isolation: "sandbox" },
    },
  });
  const wrong = await read("notify: true\nroles: { scout: { backend: codx } }\n");
  expect(wrong.problems).toMatchObject([
    {
      ...{ code: "CONFIG_VALUE", line: 2, column: 28 },
      message: 'roles.scout.backend is "codx", which is no backend',
      hint: expect.stringMatching(/did you mean "codex".*plugins: \[\.\/FILE\]/),
    },
  ]);
  const unfit = await read("roles: { scout: { permissionMode: all, isolation: none } }\n");
  expect(unfit.problems.map(({ code }) => code)).toEqual(["CONFIG_VALUE", "CONFIG_VALUE"]);
  const plugged = await read("plugins: [./p.mjs]\nroles: { scout: { backend: house } }\n");
  expect(plugged.problems).toEqual([]);
});

function bomb(): string {
  const levels = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const lines = levels.map((name, index) => {
    const before = levels[index - 1];
    const items = before === undefined ? "x" : Array(9).fill(`*${before}`).join(", ");
    return `${name}: &${name} [${items}]`;
  });
  return lines.join("\n");
}
