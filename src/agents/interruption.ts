import type { GitMark } from "../contracts/host.ts";
import { TOOLS_CHANGED } from "../contracts/ports/server-pins.ts";
import { findAgent, findTurn } from "../fold/state/agent-lookup.ts";
import type { TrailedCall } from "../fold/state/call-trail.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { toVisibleText } from "../foundation/printable.ts";
import type { SessionPorts } from "./session-ports.ts";

// Owns the notice that an interrupted agent gets before its prompt (AGT-18). It comes from the journal alone: the session
// of a CLI is not evidence, because some record an interrupted call as rejected by the user.

const MAX_LISTED = 15;
const MAX_FILES = 20;
const MAX_NAME_CHARS = 120;
/** More files that differ from the last commit are not remembered. */
const MAX_MARKED = 200;

/** The turn that begins, or begins again. */
interface InterruptibleTurn {
  readonly ports: Pick<SessionPorts, "runtime" | "host">;
  readonly agent: string;
  readonly turn: number;
  /** Whether it can change files unseen, so that they are compared after an interruption. */
  readonly changesFiles: boolean;
}

/**
 * Looks at the files of a turn: journals what they are before its first attempt, tells what has changed since before all
 * others. Undefined when that is not known.
 */
export async function lookAtFiles(
  { ports, agent, turn, changesFiles }: InterruptibleTurn,
  attempt: number,
): Promise<readonly string[] | undefined> {
  const { runtime, host } = ports;
  const trail = findTurn(runtime.state, agent, turn)?.trail;
  if (!changesFiles || trail === undefined) return undefined;
  const { place, spec } = findAgent(runtime.state, agent) ?? {};
  const cwd = place?.directory ?? spec?.cwd ?? runtime.state.run.cwd;
  const since = trail.mark;
  if (since !== undefined) return orUnknown(() => host.git.touchedSince(cwd, since));
  // Made later it would hide what the attempts before had done.
  if (attempt > 1 || trail.isCut) return undefined;
  const mark = await orUnknown(() => host.git.mark(cwd, ["**"]));
  if (mark !== undefined && isBounded(mark))
    runtime.append({ type: "turn-marked", agent, turn, mark });
  return undefined;
}

function isBounded({ differing }: GitMark): boolean {
  return Object.keys(differing).length <= MAX_MARKED;
}

/** What cannot be looked at is unknown: its agent may work all the same. */
async function orUnknown<Result>(
  ask: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  return ask().catch(() => undefined);
}

/** What a turn is told before its prompt; undefined when it was not interrupted. */
export function interruptionNotice(
  state: RunState,
  { agent, turn }: Pick<InterruptibleTurn, "agent" | "turn">,
  changed: readonly string[] | undefined,
): string | undefined {
  const trail = findTurn(state, agent, turn)?.trail;
  if (trail === undefined || (!trail.isCut && trail.calls.size === 0)) return undefined;
  // A changed description is shown to the person who decides on it; no model may read it before.
  const own = [...trail.calls].filter(({ tool }) => tool !== TOOLS_CHANGED);
  const calls = own.map((call) => tellCall(call, trail.used, state));
  const of = (kind: ToldCall["kind"]) =>
    calls.flatMap((each) => (each.kind === kind ? each.line : []));
  return [
    "[troupe] You were interrupted while you worked on the task below. This is what the journal says about that work. If your own record of these calls differs, for example that one was rejected or stopped on purpose, trust this list.",
    ...section("These calls returned:", of("returned"), trail.left),
    ...section(
      "These calls were allowed or had begun, and have no result. They may have run, wholly or in part: check the current state before you repeat one.",
      of("open"),
    ),
    ...section(
      "These calls waited for permission and did not run. The interruption rejected none of them.",
      of("waiting"),
    ),
    ...(calls.length === 0 ? ["The journal has no calls of yours."] : []),
    filesText(changed),
  ].join("\n");
}

interface ToldCall {
  readonly kind: "returned" | "open" | "waiting";
  readonly line: string;
}

function tellCall(
  { tool, input, permissions, result }: TrailedCall,
  used: ReadonlySet<string>,
  state: RunState,
): ToldCall {
  const name = `${oneWord(tool)} ${input}`;
  if (result !== undefined) {
    const how = result.isError ? "failed" : "returned";
    return { kind: "returned", line: `${name}: ${how} ${JSON.stringify(result.text)}` };
  }
  const unused = [...permissions].filter((id) => !used.has(id));
  if (unused.length === 0) return { kind: "open", line: name };
  const decisions = unused.map((id) => decisionText(state, id));
  return { kind: "waiting", line: `${name}: ${[...new Set(decisions)].join("; ")}` };
}

/** Names of tools are words; what a server calls its tools otherwise is quoted. */
function oneWord(tool: string): string {
  return /^[\w.-]{1,120}$/u.test(tool)
    ? tool
    : JSON.stringify(tool.slice(0, MAX_NAME_CHARS).toWellFormed());
}

function decisionText({ resolved }: RunState, id: string): string {
  const resolution = resolved.get(id);
  if (resolution?.kind !== "permission")
    return "not decided yet; call it again to wait for the decision";
  const { decision, comment } = resolution;
  const said =
    comment === undefined
      ? ""
      : ` (${JSON.stringify(comment.slice(0, MAX_NAME_CHARS).toWellFormed())})`;
  return decision === "allowed" ? `approved${said}; call it again to run it` : `denied${said}`;
}

function section(title: string, lines: readonly string[], leftBefore = 0): readonly string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(-MAX_LISTED);
  const left = leftBefore + lines.length - shown.length;
  return [
    title,
    ...(left > 0 ? [`> … and ${left} before`] : []),
    ...shown.map((line) => `> ${toVisibleText(line)}`),
  ];
}

function filesText(changed: readonly string[] | undefined): string {
  const what = "Files in the repository that changed since the turn began:";
  if (changed === undefined) return `${what} unknown.`;
  if (changed.length === 0) return `${what} none.`;
  const names = changed
    .slice(0, MAX_FILES)
    .map((path) => JSON.stringify(path.slice(0, MAX_NAME_CHARS).toWellFormed()));
  const left = changed.length - names.length;
  return `${what} ${toVisibleText(names.join(", "))}${left > 0 ? ` and ${left} more` : ""}.`;
}
