import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseWorkflow } from "../../src/workflows/parse-workflow.ts";
import { temporaryDirectory } from "../programs/temporary-directory.ts";
import { loadKickoff, loadOptions, problemsOf } from "./load-options.ts";

/** A file with one agent and further lines. */
function file(lines = "", agent = "{ backend: script }"): string {
  return `name: flow\nagents:\n  a: ${agent}\n${lines}\n`;
}

function definitionOf(text: string, options: Parameters<typeof loadKickoff>[1] = {}) {
  const { definition, problems } = loadKickoff(text, options);
  if (definition === undefined) throw new Error(problems.map(({ message }) => message).join("\n"));
  return definition;
}

test("a file of agents and a kickoff has every default filled in [KCK-1, KCK-3, KCK-7]", () => {
  expect(definitionOf(file("kickoff: go @a"))).toEqual({
    format: 2,
    shape: "kickoff",
    name: "flow",
    params: {},
    agents: [{ id: "a", backend: "script", session: "keep", demandsSignal: false }],
    setup: [],
    setupDirectory: "/project",
    kickoff: "go @a",
    until: "idle",
    quietMs: 1000,
    bounds: { turnsPerAgent: 50, messages: 500, pingPong: 6 },
    timeoutMs: 600_000,
    channel: "main",
  });
});

test("what is started has no deadline and no bounds but those that are written [KCK-4]", () => {
  const written = "kickoff: go @a\noptions: { timeout: 2h, bounds: { messages: 9 } }";
  const started = { until: "stopped" } as const;
  const { timeoutMs, bounds } = definitionOf(file("kickoff: go @a"), started);
  expect({ timeoutMs, bounds }).toEqual({ timeoutMs: undefined, bounds: {} });
  expect(definitionOf(file(written), started)).toMatchObject({
    until: "stopped",
    timeoutMs: 7_200_000,
    bounds: { messages: 9 },
  });
});

describe("context", () => {
  const directory = "/project/.troupe/context/${{ workflow.name }}/${{ instance }}";
  const channel = { file: "channel.md" };
  const document = { file: "notes.md" };
  test.each([
    ["is off when it is missing", "", undefined],
    ["is off when it is false", "context: false", undefined],
    ["has both with defaults when it is empty", "context:", { directory, channel, document }],
    ["has both when it is an empty object", "context: {}", { directory, channel, document }],
    [
      "has both when only the directory is named",
      "context: { dir: '.workflow/${{ instance }}/' }",
      { directory: "/project/.workflow/${{ instance }}", channel, document },
    ],
    ["has only the channel that is named", "context: { channel: }", { directory, channel }],
    ["has only the document that is named", "context: { document: {} }", { directory, document }],
    [
      "has files of other names",
      "context: { dir: ./my-context/, channel: { file: discussion.md }, document: { file: workspace.md } }",
      {
        directory: "/project/my-context",
        channel: { file: "discussion.md" },
        document: { file: "workspace.md" },
      },
    ],
  ])("%s [KCK-1, KCK-7]", (_, lines, context) => {
    expect(definitionOf(file(lines)).context).toEqual(context);
  });

  test("the directory is relative to the file and stays in the project [WF-2.load, T8]", () => {
    const options = { fileDirectory: "/project/flows" };
    expect(definitionOf(file("context: { dir: ./shared }"), options).context?.directory).toBe(
      "/project/flows/shared",
    );
    expect(problemsOf(file("context: { dir: ../../out }"), options)).toEqual([
      'WORKFLOW_PATH_OUTSIDE 4:17 context.dir: "../../out" leads out of /project',
    ]);
    expect(problemsOf(file("context: { dir: 'x/${{ instance }}/../../..' }"))).toEqual([
      'WORKFLOW_PATH_OUTSIDE 4:17 context.dir: "x/${{ instance }}/../../.." leads out of /project',
    ]);
  });

  test("a directory that leaves the project through a link is refused [WF-2.load, T8]", () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, "project"));
    symlinkSync(root, join(root, "project", "out"));
    const options = { projectRoot: join(root, "project") };
    expect(problemsOf(file("context: { dir: out/x }"), options)).toHaveLength(1);
    expect(problemsOf(file("context: { dir: in/x }"), options)).toEqual([]);
  });

  test.each([
    ["channel: { file: a/b.md }", "context.channel.file"],
    ["document: { file: .. }", "context.document.file"],
    ["channel: { file: NOTES.md }, document: {}", "context is the file"],
  ])("%s is refused [T8]", (part, message) => {
    expect(problemsOf(file(`context: { ${part} }`)).join("\n")).toContain(message);
  });

  test("several agents that share nothing are worth a warning [KCK-1]", () => {
    const text = "name: f\nagents:\n  a: {}\n  b: {}\nkickoff: go @a\n";
    expect(loadKickoff(text).problems).toMatchObject([
      { code: "WORKFLOW_NOTHING_SHARED", severity: "warning", line: 2 },
    ]);
    expect(loadKickoff(`${text}context:\n`).problems).toEqual([]);
  });
});

describe("the name of a workflow", () => {
  test.each([
    ["review.yaml", "review"],
    ["flows/code-review.yml", "code-review"],
    ["<stdin>", "stdin"],
    ["2024 plans.v2.yaml", "workflow-2024-plans-v2"],
  ])("is that of its file %s: %s [KCK-7]", (name, wanted) => {
    const text = "agents: { a: {} }\nkickoff: go @a\n";
    expect(parseWorkflow(text, name, loadOptions).definition?.name).toBe(wanted);
  });
});

describe("agents", () => {
  test("have every key of the format [KCK-5.agents, KCK-7]", () => {
    const agent = `
    model: opus
    backend: command
    command: [npm, "run", "\${{ params.what }}"]
    system_prompt: Be brief.
    tools: [Read, "Bash", channel_send]
    env: { WHO: "\${{ instance }}" }
    cwd: packages
    isolation: none
    permissionMode: plan
    onCrash: fail
    idleTimeout: 5m`;
    const params = "params: { what: { type: string, default: test } }";
    expect(definitionOf(file(params, agent), { tools: ["channel_send"] }).agents).toEqual([
      {
        id: "a",
        backend: "command",
        session: "keep",
        demandsSignal: false,
        model: "opus",
        env: { WHO: "${{ instance }}" },
        permissionMode: "plan",
        onCrash: "fail",
        idleTimeoutMs: 300_000,
        tools: ["Read", "Bash", "channel_send"],
        cwd: "/project/packages",
        settings: { command: ["npm", "run", "${{ params.what }}"], systemPrompt: "Be brief." },
      },
    ]);
  });

  test.each([
    { agent: "{ model: anthropic/x }", options: {}, chosen: ["model", "model"] },
    { agent: "{ model: opus }", options: {}, chosen: ["claude", "default"] },
    { agent: "{ model: a/b, backend: codex }", options: {}, chosen: ["codex", "agent"] },
    {
      agent: "{ model: a/b }",
      options: { backendOverride: "script" },
      chosen: ["script", "option"],
    },
    {
      agent: "{ backend: command, command: x }",
      options: { backendOverride: "script" },
      chosen: ["command", "agent"],
    },
  ])(
    "$agent under $options runs on $chosen [WF-12.order, WF-12.model, KCK-5.agents, KCK-5.model]",
    ({ agent, options, chosen }) => {
      const loaded = loadKickoff(file("", agent), options);
      const origin = loaded.backendOrigins.get("a");
      expect([loaded.definition?.agents[0]?.backend, origin]).toEqual(chosen);
    },
  );

  test.each([
    ["{ modle: x }", 'WORKFLOW_UNKNOWN_KEY 3:8 unknown key "modle" in agents.a'],
    ["{ systemPrompt: x }", 'WORKFLOW_UNKNOWN_KEY 3:8 unknown key "systemPrompt" in agents.a'],
    [
      "{ tools: [Read, Bsah] }",
      'WORKFLOW_UNKNOWN_TOOL 3:22 agent "a" names tool "Bsah", which does not exist',
    ],
    [
      "{ backend: clade }",
      'WORKFLOW_UNKNOWN_BACKEND 3:17 agent "a" uses backend "clade", which is no backend',
    ],
    ["{ cwd: ../x }", 'WORKFLOW_PATH_OUTSIDE 3:13 agents.a.cwd: "../x" leads out of /project'],
  ])("%s is refused at its place [WF-1, WF-2.load]", (agent, problem) => {
    expect(problemsOf(file("", agent), { tools: ["channel_send"] })).toEqual([problem]);
  });

  test("the hint of an unknown tool names a near one [WF-2.load]", () => {
    const { problems } = loadKickoff(file("", "{ tools: [chanel_send] }"), {
      tools: ["channel_send"],
    });
    expect(problems[0]?.hint).toMatch(/^did you mean "channel_send"\? {2}known: Read, /);
  });

  test.each(["agents: {}", "agents: { user: {} }", "agents: { A: {}, a: {} }"])(
    "%s is refused [WF-2.load]",
    (agents) => {
      expect(problemsOf(`name: f\n${agents}\nkickoff: "@A"\n`).length).toBeGreaterThan(0);
    },
  );
});

describe("a system prompt", () => {
  /** Loads an agent with this prompt in a project that has files of prompts. */
  const optionsInProject = () => {
    const root = temporaryDirectory();
    const project = join(root, "project");
    mkdirSync(join(project, "prompts"), { recursive: true });
    const write = (name: string, text: string) =>
      writeFileSync(join(project, "prompts", name), text);
    write("a.md", "You are ${{ workflow.name }}.\nBe brief.\n");
    write("bad.md", "You are ${{ workflow.nam }}.\n");
    write("long.txt", "x".repeat(300_000));
    writeFileSync(join(root, "outside.md"), "secret");
    symlinkSync(join(root, "outside.md"), join(project, "prompts", "link.md"));
    return { projectRoot: project, fileDirectory: project };
  };

  test("is a text, or the file that one line names [KCK-5.agents]", () => {
    const options = optionsInProject();
    const promptOf = (prompt: string) =>
      definitionOf(file("", `{ system_prompt: ${prompt} }`), options).agents[0]?.settings;
    expect(promptOf('"Read notes.md first.\\nThen begin in a.md"')).toEqual({
      systemPrompt: "Read notes.md first.\nThen begin in a.md",
    });
    expect(promptOf("prompts/a.md")).toEqual({
      systemPrompt: "You are ${{ workflow.name }}.\nBe brief.\n",
    });
    expect(promptOf('"Read notes.md."')).toEqual({ systemPrompt: "Read notes.md." });
  });

  test.each([
    [
      "prompts/b.md",
      "WORKFLOW_PROMPT_FILE 3:23 agents.a.system_prompt: prompts/b.md cannot be read: there is no such file",
    ],
    [
      "prompts/long.txt",
      "WORKFLOW_PROMPT_FILE 3:23 agents.a.system_prompt: prompts/long.txt cannot be read: it has more than 256 KiB",
    ],
    [
      "../outside.md",
      'WORKFLOW_PATH_OUTSIDE 3:23 agents.a.system_prompt: "../outside.md" leads out of',
    ],
    [
      "prompts/link.md",
      'WORKFLOW_PATH_OUTSIDE 3:23 agents.a.system_prompt: "prompts/link.md" leads out of',
    ],
    ["prompts/bad.md", "WORKFLOW_UNKNOWN_VARIABLE 3:23 variable ${{ workflow.nam }} is not set"],
  ])("%s is refused where it is named [KCK-5.agents, WF-2.load, T8]", (prompt, problem) => {
    const problems = problemsOf(file("", `{ system_prompt: ${prompt} }`), optionsInProject());
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });
});

describe("setup", () => {
  test("has commands with a name for their output and a timeout [KCK-1]", () => {
    const lines = "setup:\n  - shell: gh pr diff\n    as: diff\n  - { shell: x, timeout: 30s }";
    expect(definitionOf(file(lines)).setup).toEqual([
      { shell: "gh pr diff", as: "diff" },
      { shell: "x", timeoutMs: 30_000 },
    ]);
  });

  test.each([
    ["{ as: x }", 'WORKFLOW_MISSING_KEY 5:7 the key "shell" is missing in setup.0'],
    ["{ shell: x, as: task }", "WORKFLOW_SETUP_VARIABLE 5:21"],
    ["{ shell: x, as: 'a.b' }", "WORKFLOW_SETUP_VARIABLE 5:21"],
    ["{ shell: x, timeout: 5 minutes }", "WORKFLOW_DURATION 5:26 setup.0.timeout"],
    ["{ shell: x, timout: 5m }", 'WORKFLOW_UNKNOWN_KEY 5:17 unknown key "timout" in setup.0'],
  ])("%s is refused [WF-1, WF-2.load]", (task, problem) => {
    const [first = ""] = problemsOf(file(`setup:\n  - ${task}`));
    expect(first).toContain(problem);
  });
});

describe("variables", () => {
  const setup =
    "setup:\n  - { shell: 'echo ${{ task }}', as: diff }\n  - { shell: 'x ${{ diff }}' }\n";

  test("are known where they have a value [WF-4, WF-13]", () => {
    const known = [
      ...["task", "params.p", "env.HOME", "workflow.name", "workflow.instance", "instance"],
      ...["context.channel", "context.document", "diff"],
    ];
    const kickoff = known.map((name) => `\${{ ${name} }} \${{${name}}}`).join(" ");
    const text = file(
      `context:\nparams: { p: { type: string } }\n${setup}kickoff: "@a ${kickoff}"`,
    );
    expect(problemsOf(text)).toEqual([]);
  });

  test("a misspelt one is an error with a near one, and with what sets that [WF-4]", () => {
    const { problems } = loadKickoff(file(`${setup}kickoff: "@a \${{ dif }}"`));
    expect(problems).toMatchObject([
      {
        code: "WORKFLOW_UNKNOWN_VARIABLE",
        line: 7,
        column: 14,
        hint: expect.stringMatching(/^did you mean "diff"\? .*\(setup\[0\] sets diff\)$/),
      },
    ]);
  });

  test.each([
    ["of a later command", "setup: [{ shell: '${{ x }}' }, { shell: y, as: x }]"],
    ["of a channel that is off", "context: { document: }\nkickoff: '@a ${{ context.channel }}'"],
    ["of the other shape's steps", "kickoff: '@a ${{ steps.a.output }}'"],
    ["in a path", "context: { dir: 'x/${{ task }}' }"],
    ["without a name", "kickoff: '@a ${{ }}'"],
  ])("one %s is refused [WF-4, WF-13]", (_, lines) => {
    expect(problemsOf(file(lines)).join("\n")).toMatch(
      /WORKFLOW_(UNKNOWN_VARIABLE|TEMPLATE_SYNTAX)/,
    );
  });

  test("only the own form is expanded, and a backslash prints it [WF-13]", () => {
    expect(problemsOf(file("kickoff: '@a {{task}} \\${{ nothing }}'"))).toEqual([]);
  });

  test("one of the environment that is not set here is worth a warning [WF-4]", () => {
    const options = { environment: ["EDITOR"] };
    const { problems, definition } = loadKickoff(file("kickoff: '@a ${{ env.EDITR }}'"), options);
    expect(definition).toBeDefined();
    expect(problems).toMatchObject([
      { code: "WORKFLOW_VARIABLE_NOT_SET", severity: "warning", hint: "did you mean EDITOR?" },
    ]);
  });
});

describe("whom the kickoff mentions", () => {
  const withChannel = (kickoff: string) => file(`context:\nkickoff: ${JSON.stringify(kickoff)}`);

  test.each([
    { what: "only unknown names", kickoff: "go @b", severity: "error", column: 14 },
    { what: "an unknown name beside a known one", kickoff: "@a and @b", column: 18 },
    { what: "nobody", kickoff: "go", code: "WORKFLOW_NOBODY_MENTIONED", column: 10 },
    { what: "nobody but in code", kickoff: "`@a`", code: "WORKFLOW_NOBODY_MENTIONED", column: 10 },
  ])("$what is told [KCK-2, WF-2.load]", (given) => {
    const { kickoff, column, severity = "warning", code = "WORKFLOW_UNKNOWN_MENTION" } = given;
    expect(loadKickoff(withChannel(kickoff)).problems).toMatchObject([
      { code, severity, line: 5, column },
    ]);
  });

  test.each(["go @a", "go @A", "@all go", "go (@a)"])("%s is fine [KCK-2]", (kickoff) => {
    expect(loadKickoff(withChannel(kickoff)).problems).toEqual([]);
  });

  test("does not matter when it is the prompt of the only agent [KCK-2]", () => {
    expect(loadKickoff(file("kickoff: go on your own")).problems).toEqual([]);
  });
});

describe("the whole file", () => {
  test("may say what every shape may [WF-14]", () => {
    const lines =
      "$schema: x\ndescription: d\ntags: [t]\nx-own: 1\nbudget: { turns: 9 }\nkickoff: go @a\noptions: { quiet: 5s, channel: 'r-${{ instance }}', timeout: 1h }";
    expect(definitionOf(file(lines))).toMatchObject({
      description: "d",
      budget: { turns: 9 },
      quietMs: 5000,
      channel: "r-${{ instance }}",
      timeoutMs: 3_600_000,
    });
  });

  test("has no other keys [WF-1]", () => {
    expect(problemsOf(file("kickof: go\nsteps: []"))).toEqual([
      'WORKFLOW_UNKNOWN_KEY 4:1 unknown key "kickof" in the workflow',
      'WORKFLOW_UNKNOWN_KEY 5:1 unknown key "steps" in the workflow',
    ]);
  });

  test("a pattern workflow has no kickoff [WF-1]", () => {
    expect(problemsOf("name: f\npattern: dag\nagents: { a: {} }\nkickoff: go\n")).toEqual([
      "WORKFLOW_VALUE 4:1 the workflow has kickoff, which belongs to kickoff workflows",
    ]);
  });

  test("all that is wrong is told at once, by position [WF-1]", () => {
    const text = file(
      "setup: [{ shell: '${{ x }}' }]\nkickoff: go @b\noptions: { quiet: 0s }",
      "{ tool: [] }",
    );
    expect(problemsOf(text).map((problem) => problem.split(" ").slice(0, 2).join(" "))).toEqual([
      "WORKFLOW_UNKNOWN_KEY 3:8",
      "WORKFLOW_UNKNOWN_VARIABLE 4:19",
      "WORKFLOW_DURATION 6:19",
    ]);
  });
});
