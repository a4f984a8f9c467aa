import type { DocumentEdit } from "../../../contracts/document.ts";
import type { Confinement, Host, ResourceLimits } from "../../../contracts/host.ts";
import type { MessageDraft } from "../../../contracts/message.ts";
import type { Signal } from "../../../contracts/signal.ts";
import type { TurnClient } from "../../../contracts/turn-client.ts";
import type { Usage } from "../../../contracts/usage.ts";
import { delay, rejectOnAbort } from "../../../foundation/abort.ts";
import type { Clock } from "../../../foundation/clock.ts";
import { parseDuration } from "../../../foundation/duration.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import type { Json } from "../../../foundation/json.ts";
import { present } from "../../../foundation/present.ts";
import { crashed, scriptMismatch } from "../parts/errors.ts";
import type { TerminalUpdate, TurnWork } from "../parts/turn-gate.ts";
import type { ScriptedAction, ScriptedTurn } from "./cassette-schema.ts";

/** A turn of a script, and the words that name it in errors. */
export interface PlayedTurn {
  readonly turn: ScriptedTurn;
  /** `turn 2 of planner`. */
  readonly entry: string;
  readonly session: string;
}

/**
 * Plays one entry: `expect`, `after`, `do` in order, then its end. Raises BACKEND_SCRIPT_MISMATCH and
 * what its actions raise; rejects with the signal's reason on abort.
 */
export async function playTurn(
  { turn, entry, session }: PlayedTurn,
  work: TurnWork,
  stage: Stage & { readonly clock: Clock },
): Promise<TerminalUpdate> {
  const { agent, prompt } = work.request;
  if (turn.expect !== undefined && !prompt.includes(turn.expect))
    throw scriptMismatch({ agent, entry, expected: turn.expect, prompt: excerpt(prompt) });
  if (turn.after !== undefined) await delay(stage.clock, parseDuration(turn.after), work.signal);
  for (const action of turn.do) {
    work.signal.throwIfAborted();
    if (!(await playAction(action, work, stage))) break;
  }
  work.signal.throwIfAborted();
  return endTurn(turn, work, session);
}

async function endTurn(
  turn: ScriptedTurn,
  work: TurnWork,
  session: string,
): Promise<TerminalUpdate> {
  const { agent } = work.request;
  if (turn.hang === true) return rejectOnAbort(work.signal).promise;
  if (turn.crash === true)
    return { type: "error", error: toErrorReport(crashed({ agent, session })), sessionLost: true };
  if (turn.fail !== undefined) {
    const { sessionLost, ...error } = turn.fail;
    return { type: "error", error, ...(sessionLost === undefined ? {} : { sessionLost }) };
  }
  const reason = turn.stop ?? "end_turn";
  if (turn.say === undefined) return { type: "stop", reason };
  if (turn.do.every(({ chunk }) => chunk === undefined))
    work.emit({ type: "text-delta", text: turn.say });
  return { type: "stop", reason, text: turn.say };
}

function excerpt(prompt: string): string {
  const line = prompt.replaceAll(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300).toWellFormed()}…` : line;
}

/** Where a scripted agent acts. */
interface Stage {
  readonly host: Host;
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly logFile?: string;
  /** The bounds of the commands that it runs. */
  readonly confine?: Confinement;
  /** What these commands may take of the machine. */
  readonly limits?: Partial<ResourceLimits>;
  /** Names the next tool call of the turn. */
  readonly nextCall: () => string;
}

/**
 * Does one thing that a scripted turn does; resolves with false when the rest of `do` is to be left
 * out. A failed tool, command or refused signal is an event, as with a real agent; a failed message,
 * document edit or question fails the turn, because no event would show it.
 */
async function playAction(action: ScriptedAction, work: TurnWork, stage: Stage): Promise<boolean> {
  const { client, emit } = work;
  if (action.send !== undefined) await client.post(toDraft(action.send));
  if (action.write !== undefined) await write(action.write, work, stage);
  if (action.run !== undefined) await run(action.run, work, stage);
  if (action.signal !== undefined) await client.signal(toSignal(action.signal));
  if (action.tool !== undefined) playTool(action.tool, work, stage);
  if (action.call !== undefined) await callTool(action.call, work, stage);
  if (action.document !== undefined) await client.editDocument(toEdit(action.document));
  if (action.ask !== undefined) await client.ask(action.ask);
  if (action.file !== undefined) emit({ type: "file-change", ...action.file });
  if (action.usage !== undefined) emit({ type: "usage", usage: toUsage(action.usage) });
  if (action.thinking !== undefined) emit({ type: "thinking", text: action.thinking });
  if (action.chunk !== undefined) emit({ type: "text-delta", text: action.chunk });
  if (action.permission === undefined) return true;
  return isAllowed(action.permission, client);
}

type Given<Key extends keyof ScriptedAction> = NonNullable<ScriptedAction[Key]>;

async function isAllowed(asked: Given<"permission">, client: TurnClient): Promise<boolean> {
  const { decision } = await client.requestPermission(asked.tool, asked.input);
  return decision === "allowed" || asked.onDeny === "continue";
}

function toDraft({ to, channel, text }: Given<"send">): MessageDraft {
  if (channel !== undefined) return { channel, text };
  if (to === undefined) return { text };
  if (typeof to === "string" && to.startsWith("#")) return { channel: to.slice(1), text };
  return { to: typeof to === "string" ? [to] : to, text };
}

function toEdit({ append, write, name }: Given<"document">): DocumentEdit {
  const change: DocumentEdit =
    write === undefined ? { kind: "append", text: append ?? "" } : { kind: "write", text: write };
  return name === undefined ? change : { ...change, name };
}

function toSignal({ kind, value, reason, confidence }: Given<"signal">): Omit<Signal, "by"> {
  return {
    kind,
    value,
    ...present({ reason, confidence }),
  };
}

function toUsage(given: Given<"usage">): Usage {
  const { inputTokens, outputTokens, cachedTokens, costUsd } = given;
  return {
    ...present({ inputTokens, outputTokens, cachedTokens, costUsd }),
  };
}

async function write(file: Given<"write">, { emit }: TurnWork, stage: Stage): Promise<void> {
  const workspace = stage.host.workspace(stage.cwd);
  const kind = (await workspace.exists(file.path)) ? "edit" : "create";
  await workspace.writeText(file.path, file.content);
  emit({ type: "file-change", path: file.path, kind });
}

async function run(command: string, { emit, signal }: TurnWork, stage: Stage): Promise<void> {
  const { host, cwd, env, logFile, confine, limits } = stage;
  const call = stage.nextCall();
  emit({ type: "tool-call", call, tool: "Bash", input: { command } });
  const request = { command, cwd, env, stdin: "", maxOutputChars: 64 * 1024 };
  const bounds = {
    ...present({ confine, limits }),
  };
  const log = logFile === undefined ? {} : { logFile };
  const result = await host.run({ ...request, ...bounds, ...log }, signal);
  const end = result.exitCode === null ? `ended by ${result.signal}` : `exit ${result.exitCode}`;
  const isError = result.exitCode !== 0;
  const text = `${result.stdout}${result.stderr}${isError ? `(${end})` : ""}`;
  emit({ type: "tool-result", call, tool: "Bash", isError, result: text });
}

function playTool(tool: Given<"tool">, { emit }: TurnWork, stage: Stage): void {
  const call = stage.nextCall();
  emit({ type: "tool-call", call, tool: tool.name, input: tool.input });
  const { isError, result, open } = tool;
  if (open === true) return;
  emit({ type: "tool-result", call, tool: tool.name, isError, result });
}

async function callTool(given: Given<"call">, work: TurnWork, stage: Stage): Promise<void> {
  const { client, emit, signal } = work;
  const { tool, arguments: input } = given;
  const call = stage.nextCall();
  emit({ type: "tool-call", call, tool, input });
  const { isError, result } = await attempt(() => client.callTool(tool, input), signal);
  emit({ type: "tool-result", call, tool, isError, result });
}

async function attempt(
  call: () => Promise<Json>,
  signal: AbortSignal,
): Promise<{ readonly isError: boolean; readonly result: string }> {
  try {
    const value = await call();
    return { isError: false, result: typeof value === "string" ? value : JSON.stringify(value) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { isError: true, result: refusalText(error) };
  }
}

/** What an agent is told when a tool refuses: the code, what happened, and what to do. */
function refusalText(error: unknown): string {
  const { code, message, hint } = toErrorReport(error);
  return hint === undefined ? `${code}: ${message}` : `${code}: ${message}\n${hint}`;
}
