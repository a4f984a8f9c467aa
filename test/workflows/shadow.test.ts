import { describe, expect, test } from "vitest";
import { load, loadKickoff, problemsOf } from "./load-options.ts";

const file = (shadow: string, more = "") =>
  `name: flow\npattern: dag\nagents: [{ id: dev, cwd: sub }, { id: lead }${more}]\nsteps: [{ id: s, agent: dev }, { id: t, agent: lead }]\noptions:\n  shadow: ${shadow}\n`;

test("options.shadow gives every agent a shadow that follows all of it and works where it works [MSG-10, WF-10.shadow]", () => {
  const { definition, problems } = load(file("{ cli: codex, task: 'look at {{task}}' }"));
  expect(problems).toEqual([]);
  expect(definition?.agents.map(({ id }) => id)).toEqual([
    "dev",
    "lead",
    "dev-Shadow",
    "lead-Shadow",
  ]);
  expect(JSON.parse(JSON.stringify(definition?.agents[2]))).toEqual({
    id: "dev-Shadow",
    backend: "codex",
    role: "reviewer",
    session: "keep",
    cwd: "/project/sub",
    permissionMode: "dont-ask",
    demandsSignal: false,
    settings: { systemPrompt: "look at {{task}}" },
    shadow: {
      of: "dev",
      receiveIncoming: true,
      receiveOutgoing: true,
      speakOn: ["ALL_MESSAGES"],
    },
  });
});

test("a shadow can be for some agents only, hear less, and speak on other occasions [MSG-10]", () => {
  const written =
    "{ backend: script, script: [{ say: x }], task: t, of: [DEV], receiveIncoming: false, speakOn: [CODE_WRITTEN, SESSION_END], permissionMode: plan }";
  const { definition, problems, backendOrigins } = load(file(written));
  expect(problems).toEqual([]);
  expect(definition?.agents.slice(2)).toMatchObject([
    {
      id: "dev-Shadow",
      permissionMode: "plan",
      settings: { script: [{ say: "x" }], systemPrompt: "t" },
      shadow: { of: "dev", receiveIncoming: false, speakOn: ["CODE_WRITTEN", "SESSION_END"] },
    },
  ]);
  expect(backendOrigins.get("dev-Shadow")).toBe("agent");
});

test("--backend stands in for the backend of a shadow too [WF-12.order]", () => {
  const { definition } = load(file("{ cli: codex, task: x }"), { backendOverride: "script" });
  expect(definition?.agents.map(({ backend }) => backend)).toEqual(Array(4).fill("script"));
});

describe("what is wrong with a shadow is said at load [MSG-10, WF-2.load]", () => {
  test.each([
    [
      "{ task: x, of: [ghost] }",
      'WORKFLOW_UNKNOWN_AGENT 6:27 options.shadow watches agent "ghost", which is not defined',
    ],
    [
      "{ task: x, of: [dev, Dev-shadow] }",
      'WORKFLOW_VALUE 6:32 options.shadow.of names "Dev-shadow", which is a shadow itself',
    ],
    [
      "{ task: x, speakOn: [REVIEW] }",
      'WORKFLOW_VALUE 6:32 options.shadow.speakOn.0 cannot be "REVIEW"',
    ],
    [
      "{ task: x, speakOn: [] }",
      "WORKFLOW_VALUE 6:31 options.shadow.speakOn is too small: at least 1 item",
    ],
    ["{ cli: claude }", 'WORKFLOW_MISSING_KEY 6:13 the key "task" is missing in options.shadow'],
    ["{ task: x, watch: y }", 'WORKFLOW_UNKNOWN_KEY 6:22 unknown key "watch" in options.shadow'],
    [
      "{ cli: nobody, task: x }",
      'WORKFLOW_UNKNOWN_BACKEND 6:18 options.shadow uses backend "nobody", which is no backend',
    ],
    [
      "{ cli: command, task: x }",
      "WORKFLOW_VALUE 6:18 options.shadow cannot have backend: command, which is told no task",
    ],
    [
      "{ cli: claude, task: x, script: [] }",
      "WORKFLOW_VALUE 6:35 options.shadow has script, which belongs to backend: script",
    ],
    ['{ task: "{{nobody}}" }', "WORKFLOW_UNKNOWN_VARIABLE 6:20 variable {{nobody}} is not set"],
    ["claude", "WORKFLOW_TYPE 6:11 options.shadow must be an object, got a text"],
  ])("%s", (shadow, problem) => {
    expect(problemsOf(file(shadow))).toEqual([problem]);
  });

  test("an agent that has the name of a shadow", () => {
    expect(problemsOf(file("{ task: x }", ", { id: dev-SHADOW }"))).toContain(
      'WORKFLOW_DUPLICATE_ID 3:53 the agents "dev-SHADOW" and "dev-Shadow" differ only in case',
    );
  });

  test("agents whose long names are the same without their end", () => {
    const long = "a".repeat(57);
    const agents = `, { id: ${long}-one }, { id: ${long}-two }`;
    const codes = load(file("{ task: x }", agents)).problems.map(({ code }) => code);
    expect(codes).toContain("WORKFLOW_DUPLICATE_ID");
    expect(load(file("{ task: x, of: [dev] }", agents)).definition).toBeDefined();
  });
});

describe("kickoff workflows", () => {
  const kickoff = (shadow: string, context = "context:\n") =>
    `agents:\n  dev: { backend: script, script: [] }\n${context}kickoff: "@dev begin"\noptions: { shadow: ${shadow} }\n`;

  test("have shadows by the same key [MSG-10]", () => {
    const { definition, problems } = loadKickoff(
      kickoff('{ cli: claude, task: "see ${{ task }}" }'),
    );
    expect(problems).toEqual([]);
    expect(definition?.agents.map(({ id, shadow }) => [id, shadow?.of])).toEqual([
      ["dev", undefined],
      ["dev-Shadow", "dev"],
    ]);
  });

  test.each([
    ["{ task: x }", "", "options.shadow has no channel to follow and to speak in"],
    ['{ task: "${{ nobody }}" }', "context:\n", "variable ${{ nobody }} is not set"],
  ])("are refused with the shadow %s after %j", (shadow, context, message) => {
    const { problems } = loadKickoff(kickoff(shadow, context));
    expect(problems.map((problem) => problem.message)).toEqual([message]);
  });
});
