import { expect } from "vitest";
import { readAgentType } from "../../../../src/workflows/agent-types/read-agent-type.ts";
import { sourceWorkflows } from "../source-workflows.ts";
import { promptsOf, run, runSteps } from "./source-run.ts";
import { statements } from "./statement.ts";

const input = "Add dark mode toggle";
const plan = {
  files: ["src/theme.ts", "src/toggle.tsx"],
  approach: "Use CSS variables",
  steps: ["one"],
};
const code = { filesCreated: ["src/theme.ts"], filesModified: ["src/App.tsx"], changes: "toggle" };
const unit = { passed: 15, failed: 0, coverage: 95 };
const integration = { passed: 5, failed: 0 };
const review = { approved: true, comments: ["Tests pass"], suggestions: [] };
const feature = {
  planner: () => plan,
  coder: () => code,
  "test-unit": () => unit,
  "test-integration": () => integration,
  reviewer: () => review,
};
const agent = (id: string, more: object = {}) => ({ id, type: "agent", agent: id, ...more });
const inputsOf = (end: Awaited<ReturnType<typeof run>>, id: string) =>
  end.given.flatMap(([who, given]) => (who === id ? [given] : []));

/** The prompts of agents, as the source has them. */
const PROMPTS: { readonly [name: string]: string } = {
  coder: [
    "{{input}}",
    "{{#if context.plan}}",
    "Files to create: {{context.plan.files}}",
    "Approach: {{context.plan.approach}}",
    "{{/if}}",
    "Return JSON:",
    '{ "filesCreated": ["file1.ts"] }',
  ].join("\n"),
  reviewer: [
    "{{#if code}}",
    "Changes: {{code.changes}}",
    "{{/if}}",
    "{{#if context.parallel-tests}}",
    "{{#each context.parallel-tests.data}}",
    "- {{this.stepId}}: {{this.result.passed}} passed, {{this.result.failed}} failed",
    "{{/each}}",
    "{{/if}}",
  ].join("\n"),
  synthesizer: ["{{#each context}}", "### {{@key}}", "{{this.findings}}", "{{/each}}"].join("\n"),
};

/** Agents of these prompts who read text, and whose answers are played. */
const readers = {
  backendOverride: "script",
  agentTypes: {
    find: (name: string) => {
      const prompt = PROMPTS[name];
      if (prompt === undefined) return undefined;
      const file = `${name}.md`;
      const read = readAgentType(`---\nname: ${name}\ndescription: x\n---\n${prompt}`, file);
      if (read.status === "invalid") throw read.error;
      return { status: "found", type: read.type } as const;
    },
    names: () => Object.keys(PROMPTS),
  },
};

/** What the source says of how data gets from step to step. */
export const passing = statements([
  {
    says: "by itself: each agent gets the input and the results of all steps before",
    check: async () => {
      const steps = [
        agent("plan", { next: "code" }),
        agent("code", { next: "test" }),
        agent("test"),
      ];
      const end = await runSteps(steps, { input, agents: { plan: () => plan, code: () => code } });
      expect(end.given).toEqual([
        ["plan", { input, context: {} }],
        ["code", { input, context: { plan } }],
        ["test", { input, context: { plan, code } }],
      ]);
    },
  },
  {
    says: "by name: what `input` names stands beside the input, and the whole context too",
    check: async () => {
      const steps = [agent("plan", { next: "code" }), agent("code", { input: "plan" })];
      const end = await runSteps(steps, { input, agents: { plan: () => plan } });
      expect(end.given.at(-1)).toEqual(["code", { input, plan, context: { plan } }]);
    },
  },
  {
    says: "by a transform: a part is taken out, kept as `files`, and given by that name",
    check: async () => {
      const end = await run(sourceWorkflows["references"] ?? "", { input, agents: feature });
      expect(inputsOf(end, "coder")).toMatchObject([{ files: plan.files }]);
      expect(inputsOf(end, "tester")).toMatchObject([{ code }]);
    },
  },
  {
    says: "by accumulation: who comes last sees what all before found out",
    check: async () => {
      const end = await run(sourceWorkflows["accumulation"] ?? "", {
        input,
        agents: { researcher: (_input, { turn }) => ({ findings: [turn] }) },
      });
      expect(inputsOf(end, "synthesizer")).toEqual([
        { input, context: { "research-1": { findings: [1] }, "research-2": { findings: [2] } } },
      ]);
    },
  },
  {
    says: "the whole example: plan, approve, code, test, check, review",
    check: async () => {
      const end = await run(sourceWorkflows["complete"] ?? "", {
        input,
        agents: feature,
        approvals: "all",
      });
      expect(end).toMatchObject({
        outcome: "completed",
        flow: {
          output: review,
          path: ["plan", "approve-plan", "code", "parallel-tests", "check-tests", "review"],
          context: { plan, code, review, unit, integration, "check-tests": { result: true } },
        },
      });
    },
  },
  {
    says: "its coder gets input, plan and the decision; its reviewer code and the tests",
    check: async () => {
      const end = await run(sourceWorkflows["complete"] ?? "", {
        input,
        agents: feature,
        approvals: "all",
      });
      expect(inputsOf(end, "coder")).toMatchObject([
        { input, plan, context: { plan, "approve-plan": { approved: true } } },
      ]);
      expect(inputsOf(end, "test-unit")).toMatchObject([{ input, context: { plan, code } }]);
      const tests = [
        { stepId: "unit", result: unit },
        { stepId: "integration", result: integration },
      ];
      expect(inputsOf(end, "reviewer")).toMatchObject([
        { input, code, context: { plan, code, "parallel-tests": tests } },
      ]);
    },
  },
  {
    says: "its plan is made again when it was rejected",
    check: async () => {
      let asked = 0;
      const end = await run(sourceWorkflows["complete"] ?? "", {
        input,
        agents: feature,
        decide: () => {
          asked += 1;
          return asked === 1
            ? { decision: "rejected", comment: "no new dependency" }
            : { decision: "approved" };
        },
      });
      expect(end.flow.path.slice(0, 4)).toEqual(["plan", "approve-plan", "plan", "approve-plan"]);
      expect(inputsOf(end, "planner")[1]).toMatchObject({
        context: { "approve-plan": { approved: false, comment: "no new dependency" } },
      });
    },
  },
  {
    says: "its condition sends it back to the code when tests failed, which its sketch cannot evaluate",
    decidedBy: "STP-6",
    check: async () => {
      const end = await run(sourceWorkflows["complete"] ?? "", {
        input,
        approvals: "all",
        agents: {
          ...feature,
          "test-unit": (_input, { turn }) => {
            if (turn < 2) throw new Error("2 of 15 failed");
            return unit;
          },
        },
      });
      expect(end.outcome).toBe("completed");
      expect(end.flow.path.slice(2)).toEqual([
        ...["code", "parallel-tests", "check-tests"],
        ...["code", "parallel-tests", "check-tests", "review"],
      ]);
    },
  },
  {
    says: "prompts are templates over that object: lists as JSON, a part only where there is something",
    check: async () => {
      const steps = [agent("plan", { next: "code" }), agent("code", { agent: "coder" })];
      const plans = { load: readers, turns: { plan: [{ say: JSON.stringify(plan) }] } };
      const [, prompt] = promptsOf(await runSteps(steps, { input, ...plans }));
      expect(prompt).toContain(
        'Files to create: ["src/theme.ts","src/toggle.tsx"]\nApproach: Use CSS variables',
      );
      const [alone] = promptsOf(
        await runSteps([agent("code", { agent: "coder" })], { input, ...plans, turns: {} }),
      );
      expect(alone).toContain(input);
      expect(alone).not.toContain("Files to create");
    },
  },
  {
    says: "braces that are no variable stay what they are",
    check: async () => {
      const steps = [agent("code", { agent: "coder" })];
      const [prompt] = promptsOf(await runSteps(steps, { input, load: readers, turns: {} }));
      expect(prompt).toContain('{ "filesCreated": ["file1.ts"] }');
    },
  },
  {
    says: "a prompt goes through the list of a parallel, with a hyphen in its name and `this` for each",
    decidedBy: "STP-16",
    check: async () => {
      const tests = {
        id: "parallel-tests",
        type: "parallel",
        steps: [agent("unit"), agent("integration")],
      };
      const steps = [
        agent("code", { next: "parallel-tests", agent: "writer" }),
        { ...tests, next: "review" },
        agent("review", { agent: "reviewer", input: "code" }),
      ];
      const turns = {
        writer: [{ say: JSON.stringify(code) }],
        unit: [{ say: JSON.stringify(unit) }],
        integration: [{ say: JSON.stringify(integration) }],
      };
      const prompt = promptsOf(await runSteps(steps, { input, load: readers, turns })).at(-1);
      expect(prompt).toContain("Changes: toggle");
      expect(prompt).toContain("- unit: 15 passed, 0 failed\n- integration: 5 passed, 0 failed");
    },
  },
  {
    says: "a prompt goes through the whole context by key, as the synthesizer's does",
    check: async () => {
      const steps = [
        agent("research-1", { next: "research-2" }),
        agent("research-2", { next: "synthesize" }),
        agent("synthesize", { agent: "synthesizer" }),
      ];
      const turns = {
        "research-1": [{ say: '{"findings": "A"}' }],
        "research-2": [{ say: '{"findings": "B"}' }],
      };
      const prompt = promptsOf(await runSteps(steps, { load: readers, turns })).at(-1);
      expect(prompt).toContain("### research-1\nA\n");
      expect(prompt).toContain("### research-2\nB");
    },
  },
  {
    says: "what is missing below `context` is nothing in a prompt, as `getContextValue` has it",
    decidedBy: "WF-13",
    check: async () => {
      const steps = [
        agent("a", { agent: "a", next: "b" }),
        agent("b", {
          agent: "b",
          prompt: "[{{context.a.nothing}}] {{#if context.a.nothing}}x{{else}}y{{/if}}",
        }),
      ];
      const prompt = promptsOf(await runSteps(steps, { load: readers, turns: {} })).at(-1);
      expect(prompt).toBe("[] y");
    },
  },
]);
