import { z } from "zod";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { TurnClient } from "../../../contracts/turn-client.ts";
import { storableJson } from "../../../foundation/json.ts";
import type { ControlMessage, PermissionAnswer } from "./claude-protocol.ts";
import { isTroupeTool, plainToolName } from "./claude-tools.ts";

type PermissionRequest = Extract<ControlMessage, { readonly type: "permission" }>;

const QUESTION_TOOL = "AskUserQuestion";

/** Claude Code itself lets its model ask four at a time. */
const MAX_QUESTIONS = 10;
const questionsSchema = z.looseObject({
  questions: z.array(
    z.looseObject({
      question: z.string(),
      options: z
        .array(z.looseObject({ label: z.string(), description: z.string().optional() }))
        .optional(),
      multiSelect: z.boolean().optional(),
    }),
  ),
});

/**
 * What becomes of a use of a tool: Troupe's own are always allowed (their server decides), those that the agent
 * does not have never, its questions go to a person, and all the rest is what Troupe says. Rejects as the client does.
 */
export async function decidePermission(
  { tool, input, call }: PermissionRequest,
  client: TurnClient,
  tools: AgentSpec["tools"],
): Promise<PermissionAnswer> {
  const allowed: PermissionAnswer = { behavior: "allow", updatedInput: input };
  if (isTroupeTool(tool)) return allowed;
  const name = plainToolName(tool);
  if (tools !== undefined && !tools.includes(name))
    return { behavior: "deny", message: `This agent may not use ${name}.` };
  const questions = name === QUESTION_TOOL ? questionsSchema.safeParse(input) : undefined;
  if (questions?.success === true) {
    const asked = questions.data.questions.length;
    if (asked > MAX_QUESTIONS)
      return { behavior: "deny", message: `Ask at most ${MAX_QUESTIONS} questions, not ${asked}.` };
    const answers = await ask(questions.data, client);
    return { behavior: "allow", updatedInput: { ...input, answers } };
  }
  const asked = storableJson(input);
  const { decision, comment } = await client.requestPermission(name, asked, { told: call });
  if (decision === "allowed") return allowed;
  return { behavior: "deny", message: comment ?? "This was not permitted." };
}

/** The answers by their questions, one after the other. */
async function ask(
  { questions }: z.infer<typeof questionsSchema>,
  client: TurnClient,
): Promise<{ readonly [question: string]: string }> {
  const answers: [string, string][] = [];
  for (const { question, options = [], multiSelect = false } of questions) {
    const choices = options.map(({ label, description }) =>
      description === undefined ? `- ${label}` : `- ${label}: ${description}`,
    );
    const labels = options.map(({ label }) => label);
    const choice = labels.length === 0 ? undefined : { options: labels, many: multiSelect };
    answers.push([question, await client.ask([question, ...choices].join("\n"), choice)]);
  }
  return Object.fromEntries(answers);
}
