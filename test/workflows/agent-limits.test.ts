import { expect, test } from "vitest";
import { parseWorkflow } from "../../src/workflows/parse-workflow.ts";
import { loadOptions } from "./load-options.ts";
import { testStepTypes as stepTypes } from "./steps/step-types.ts";

const SHAPES = [
  [
    "pattern",
    (agent: string) =>
      `name: f\npattern: dag\nagents:\n  a: { ${agent} }\nsteps: [{ id: s, agent: a }]\n`,
  ],
  ["kickoff", (agent: string) => `name: f\nagents:\n  a: { ${agent} }\nkickoff: go @a\n`],
  [
    "steps",
    (agent: string) =>
      `id: f\nagents:\n  a: { ${agent} }\nsteps: [{ id: s, type: agent, agent: a, prompt: go }]\n`,
  ],
] as const;

function load(text: string) {
  return parseWorkflow(text, "flow.yaml", { ...loadOptions, stepTypes });
}

function problemsOf(text: string): readonly string[] {
  return load(text).problems.map(
    ({ line, column, message, hint = "" }) => `${line}:${column} ${message} (${hint})`,
  );
}

test.each(SHAPES)(
  "limits of an agent in a %s workflow come into its declaration, in bytes [SEC-7.limits]",
  (shape, file) => {
    const [openFiles, fileSize] =
      shape === "steps" ? ["open_files", "file_size"] : ["openFiles", "fileSize"];
    const all = `processes: 20, memory: 128MiB, ${openFiles}: 64, ${fileSize}: 2GiB, log: 64KiB`;
    const { definition, problems } = load(file(`backend: script, limits: { ${all} }`));
    expect(problems).toEqual([]);
    expect(definition?.agents).toMatchObject([
      {
        id: "a",
        limits: {
          processes: 20,
          memoryBytes: 128 * 1024 ** 2,
          openFiles: 64,
          fileSizeBytes: 2 * 1024 ** 3,
          logBytes: 64 * 1024,
        },
      },
    ]);
    const some = load(file("backend: script, limits: { processes: 3 }")).definition?.agents;
    expect(some?.[0]?.limits).toEqual({ processes: 3 });
    for (const limits of ["", ", limits: {}"])
      expect(load(file(`backend: script${limits}`)).definition?.agents[0]).not.toHaveProperty(
        "limits",
      );
  },
);

test.each(SHAPES)(
  "limits that a %s workflow misspells are problems at their place [SEC-7.limits]",
  (shape, file) => {
    const line = shape === "kickoff" || shape === "steps" ? 3 : 4;
    const limits = (text: string) => problemsOf(file(`backend: script, limits: { ${text} }`));
    const knownFiles = shape === "steps" ? "open_files, file_size" : "openFiles, fileSize";
    expect(limits("proceses: 3")).toEqual([
      `${line}:35 unknown key "proceses" in agents.a.limits (did you mean "processes"?  known: processes, memory, ${knownFiles}, log)`,
    ]);
    expect(limits("memory: 2GB")).toEqual([
      `${line}:43 agents.a.limits.memory is not valid: write a size such as 512MiB or 16GiB ()`,
    ]);
    expect(limits("log: 0B")).toEqual([
      `${line}:40 agents.a.limits.log is not valid: write a size such as 512MiB or 16GiB ()`,
    ]);
    expect(limits("processes: 0")).toEqual([
      `${line}:46 agents.a.limits.processes is too small: at least 1 ()`,
    ]);
    expect(limits("processes: many")).toMatchObject([
      expect.stringContaining(`${line}:46 agents.a.limits.processes`),
    ]);
  },
);

test.each(SHAPES)(
  "a function in a %s workflow has no limits: it is no program [SEC-7.limits]",
  (_shape, file) => {
    expect(
      problemsOf(file('backend: function, module: "./a.ts#a", limits: { processes: 3 }')),
    ).toMatchObject([
      expect.stringContaining(
        "agents.a has limits, which hold for programs, but backend: function (remove limits",
      ),
    ]);
  },
);
