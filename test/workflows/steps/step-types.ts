import { z } from "zod";
import type { StepType } from "../../../src/contracts/ports/step-type.ts";

const plain = {
  summary: "For tests",
  routes: [],
  goesOn: "next",
  nested: "none",
  mayBeNested: true,
  expressions: [],
  templates: [],
  deadline: "scope",
  run: async () => ({ data: null }),
} as const;

const agent: StepType<{ readonly agent: string; readonly prompt?: string | undefined }> = {
  ...plain,
  name: "agent",
  settings: z.strictObject({ agent: z.string().min(1), prompt: z.string().optional() }),
  templates: ["prompt"],
  defaultTimeoutMs: 60_000,
  agents: (settings) => (settings.agent.startsWith("workflow:") ? [] : [settings.agent]),
  workflows: (settings) => {
    const [, id] = settings.agent.split("workflow:");
    return id === undefined ? [] : [{ key: id, id }];
  },
};

const approval: StepType<{ readonly on_timeout?: string | undefined }> = {
  ...plain,
  name: "approval",
  settings: z.strictObject({
    message: z.string().optional(),
    show: z.string().min(1).optional(),
    on_timeout: z.string().optional(),
  }),
  routes: ["on_approve", "on_reject"],
  expressions: ["show"],
  templates: ["message"],
  routesIn: ({ on_timeout = "reject" }) => (on_timeout === "reject" ? {} : { on_timeout }),
};

const condition: StepType = {
  ...plain,
  name: "condition",
  settings: z.strictObject({ condition: z.string().min(1) }),
  routes: ["then", "else"],
  goesOn: "own",
  mayBeNested: false,
  expressions: ["condition"],
  check: (_, { routes }) =>
    routes.length > 0 ? [] : [{ problem: "leads nowhere", hint: "add then, else or both" }],
};

const transform: StepType = {
  ...plain,
  name: "transform",
  settings: z.strictObject({ transform: z.string().min(1) }),
  expressions: ["transform"],
};

const parallel: StepType<{ readonly min_success?: number | undefined }> = {
  ...plain,
  name: "parallel",
  settings: z.strictObject({
    for_each: z.string().optional(),
    min_success: z.int().min(1).optional(),
  }),
  nested: "one-or-list",
  names: ["item", "index"],
  expressions: ["for_each"],
  check: ({ min_success }, { nestedCount }) => [
    ...(nestedCount > 0 ? [] : [{ problem: "has no steps" }]),
    ...(min_success === 99 ? [{ key: "min_success", problem: "is more than there are" }] : []),
  ],
};

const shell: StepType = {
  ...plain,
  name: "shell",
  settings: z.strictObject({
    command: z.union([z.string(), z.array(z.string())]),
    env: z.record(z.string(), z.string()).optional(),
  }),
  templates: ["command", "env"],
};

const workflow: StepType<{ readonly file: string }> = {
  ...plain,
  name: "workflow",
  settings: z.strictObject({ file: z.string() }),
  workflows: ({ file }) => [{ key: file, file }],
};

/** Types as the built-in ones are, without what carries them out. */
export const testStepTypes: readonly StepType[] = [
  ...[agent, approval, condition, transform, parallel, shell, workflow],
];
