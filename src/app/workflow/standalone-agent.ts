import type { FileRequest } from "./load-file.ts";

/** A standalone agent as it was asked for. */
export interface StandaloneAgent {
  readonly name: string;
  readonly backend?: string;
  readonly model?: string;
  /** A text, or a path as in workflow files: one line that ends in `.md` or `.txt`. */
  readonly systemPrompt?: string;
  readonly tools?: readonly string[];
  /** Whether it has a channel and a document. */
  readonly hasContext: boolean;
}

const PROMPT_FILE = /^[^\n]+\.(?:md|txt)$/;

/** The workflow of one agent that waits for messages (KCK-6), so that all that is true of files is true of it. */
export function standaloneWorkflow(agent: StandaloneAgent): Pick<FileRequest, "file" | "text"> {
  const { name, backend, model, systemPrompt, tools, hasContext } = agent;
  const workflow = {
    name,
    context: hasContext ? null : false,
    agents: {
      [name]: {
        ...(backend === undefined ? {} : { backend }),
        ...(model === undefined ? {} : { model }),
        ...(systemPrompt === undefined ? {} : { system_prompt: literal(systemPrompt) }),
        ...(tools === undefined ? {} : { tools }),
      },
    },
  };
  return { file: `troupe new ${name}`, text: JSON.stringify(workflow, null, 2) };
}

/** What was typed means itself: variables are of files. */
function literal(text: string): string {
  return PROMPT_FILE.test(text) ? text : text.replaceAll("${{", "\\${{");
}
