import { z } from "zod";
import { defineModelTool } from "./model-tool.ts";

const MAX_QUESTIONS = 4;
const MAX_OPTIONS = 12;
const option = z.union([
  z.string().min(1),
  z.object({ label: z.string().min(1), description: z.string().optional() }),
]);
const question = z.object({
  question: z.string().min(1),
  header: z.string().optional().describe("A word for people."),
  options: z
    .array(option)
    .max(MAX_OPTIONS)
    .optional()
    .describe("What may be answered; other answers may come too."),
  multiSelect: z.boolean().optional().describe("Whether several may be chosen. Default: false."),
});
const input = z.object({ questions: z.array(question).min(1).max(MAX_QUESTIONS) });

type Question = z.output<typeof question>;

/** Asks whoever follows the run, and waits for the answers. */
export const askUserQuestionTool = defineModelTool({
  name: "AskUserQuestion",
  description:
    "Asks the person who follows the run and waits for the answers. Ask only what you cannot find out yourself.",
  hasEffect: false,
  isFree: true,
  input,
  prepare: async ({ questions }) => ({
    asks: { questions: questions.map(({ question }) => question) },
    run: async ({ ask }) => {
      const answers: string[] = [];
      for (const each of questions) {
        const options = labelsOf(each);
        const choice =
          options.length === 0 ? undefined : { options, many: each.multiSelect ?? false };
        answers.push(`${each.question}\n${await ask(textOf(each), choice)}`);
      }
      return answers.join("\n\n");
    },
  }),
});

function labelsOf({ options = [] }: Question): readonly string[] {
  return options.map((each) => (typeof each === "string" ? each : each.label));
}

function textOf({ question, options = [], multiSelect = false }: Question): string {
  const lines = options.map((each, index) => {
    const { label, description } = typeof each === "string" ? { label: each } : each;
    return `${index + 1}. ${label}${description === undefined ? "" : `: ${description}`}`;
  });
  const several = multiSelect && lines.length > 0 ? ["(several, divided by commas)"] : [];
  return [question, ...lines, ...several].join("\n");
}
