import { z } from "zod";

const callSchema = z.union([
  z.strictObject({ shell: z.string() }),
  z.strictObject({ tool: z.string(), args: z.record(z.string(), z.json()).optional() }),
]);

const failureSchema = z.strictObject({
  status: z.int().min(400).max(599),
  /** How often; without it for ever. */
  times: z.int().positive().optional(),
  retryAfterSeconds: z.int().nonnegative().optional(),
});

const stepSchema = z.strictObject({
  /** `$RESULT` in it, and in the arguments of calls, is what the last tool call returned. */
  text: z.string().optional(),
  /** Several are made at once. */
  calls: z.array(callSchema).optional(),
  /** Refused so many times before it is answered. */
  fail: failureSchema.optional(),
  /** Wait before the answer begins. */
  delayMs: z.int().nonnegative().optional(),
  /** Wait between the parts of a stream. */
  slowMs: z.int().nonnegative().optional(),
  /** `hang`: begins and says nothing. `stall`: says half of it and no more. `cut`: breaks in the middle. */
  ending: z.enum(["hang", "stall", "cut"]).optional(),
  /** The text says why the model will not do it; the answer ends as refused in the protocol's own words. */
  declines: z.literal(true).optional(),
});

const scriptSchema = z.strictObject({ steps: z.array(stepSchema).min(1) });

/** A tool call that a script asks for: the shell of whatever client it is, or a tool by its plain name. */
export type ScriptedCall = z.infer<typeof callSchema>;

/** One answer of the model. */
export type Step = z.infer<typeof stepSchema>;

/** What a directive says, with its own text: the identity of the script. */
export interface Script {
  readonly steps: readonly Step[];
  readonly source: string;
}

const OPENING = "<<model:";
const CLOSING = ">>";

/** The steps as one line to put into a prompt, a role or a message. */
export function scriptText(...steps: readonly Step[]): string {
  return `${OPENING}${JSON.stringify({ steps })}${CLOSING}`;
}

/** What tells of an interruption shows the beginnings of calls, and with them of scripts that were given to others. */
const NOTICE = /^\[troupe\] You were interrupted[\s\S]*?\nFiles in the repository[^\n]*$/gmu;

/**
 * The last script in a text; undefined without any. A script inside of a script, such as in a message
 * that one agent sends to another, is part of the outer one. A text that begins a script and holds none
 * raises, so that a mistyped test says so.
 */
export function findScript(given: string): Script | undefined {
  const text = given.replaceAll(NOTICE, "");
  let start = text.lastIndexOf(OPENING);
  if (start < 0) return undefined;
  for (; start >= 0; start = text.lastIndexOf(OPENING, start - 1)) {
    const script = scriptAt(text, start);
    if (script !== undefined) return script;
    if (start === 0) break;
  }
  throw new Error(
    `no script is complete in: ${text.slice(text.lastIndexOf(OPENING)).slice(0, 300)}`,
  );
}

function scriptAt(text: string, start: number): Script | undefined {
  const from = start + OPENING.length;
  for (let end = text.indexOf(CLOSING, from); end >= 0; end = text.indexOf(CLOSING, end + 1)) {
    const value = parseJson(text.slice(from, end));
    // An inner script ends earlier than the one that quotes it, where the outer is no JSON yet.
    if (value === undefined) continue;
    return { ...scriptSchema.parse(value), source: text.slice(start, end + CLOSING.length) };
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
