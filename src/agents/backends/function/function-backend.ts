import { appendFile } from "node:fs/promises";
import { z } from "zod";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentFunction, AgentFunctionInput } from "../../../contracts/agent-function.ts";
import type { AgentBackend, SessionRequest } from "../../../contracts/backend.ts";
import { rejectOnAbort } from "../../../foundation/abort.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import { isRecord, toJson } from "../../../foundation/json.ts";
import { present } from "../../../foundation/present.ts";
import {
  functionAnswerInvalid,
  functionFailed,
  moduleInvalid,
  settingsInvalid,
} from "../parts/errors.ts";
import { problemsOf } from "../parts/program-backend.ts";
import { type TerminalUpdate, TurnGate, type TurnWork } from "../parts/turn-gate.ts";

/**
 * The backend that calls a TypeScript function per turn, in this process. `open` raises
 * BACKEND_SETTINGS_INVALID and BACKEND_MODULE_INVALID; turns fail with BACKEND_FUNCTION_FAILED, BACKEND_ANSWER_INVALID
 * or the code of the TroupeError that was thrown.
 */
export function createFunctionBackend(sources: FunctionSources): AgentBackend {
  return {
    name: "function",
    metering: "exact",
    conventions: "none",
    demandsSignal: false,
    toolCallTimeoutMs: Infinity,
    takesMessages: false,
    runsInProcess: true,
    check: (spec) => problemsOf(() => findFunction(spec, sources)),
    open: async (request) => {
      const { spec, session } = request;
      const run = await findFunction(spec, sources);
      const gate = new TurnGate({ agent: spec.id, session });
      return {
        prompt: (turn) => gate.run(turn, (work) => callFunction(run, work, request)),
        close: () => gate.close(),
      };
    },
  };
}

async function callFunction(
  run: AgentFunction,
  work: TurnWork,
  session: SessionRequest,
): Promise<TerminalUpdate> {
  let isOver = false;
  const call = answerOf(run, work, session).finally(() => {
    isOver = true;
  });
  const aborted = rejectOnAbort(work.signal);
  try {
    const text = await Promise.race([call, aborted.promise]);
    return { type: "stop", reason: "end_turn", text };
  } catch (error) {
    if (!work.signal.aborted) throw error;
    call.catch(() => {}); // Nobody waits any more for what an abandoned function comes to.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (!isOver) await recordLeftBehind(work, session);
    return { type: "stop", reason: "cancelled" };
  } finally {
    aborted.stop();
  }
}

async function answerOf(
  run: AgentFunction,
  work: TurnWork,
  session: SessionRequest,
): Promise<string> {
  const { agent } = work.request;
  try {
    const answer = await run(toInput(work, session));
    if (typeof answer === "string") return answer;
    if (isSignalling(answer)) return await giveSignals(work, answer);
    return answer === undefined
      ? ""
      : JSON.stringify(toJson(answer, `what the function of agent "${agent}" returned`));
  } catch (error) {
    if (error instanceof TroupeError) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    throw functionFailed({ agent, problem }, { cause: error });
  }
}

/** An object of just these two keys; any other is data. */
function isSignalling(answer: unknown): answer is object {
  if (!isRecord(answer) || Object.keys(answer).length !== 2) return false;
  return typeof answer["text"] === "string" && Array.isArray(answer["signals"]);
}

const signalling = z.object({
  text: z.string(),
  signals: z.array(
    z.strictObject({
      kind: z.string().min(1),
      value: z.string().default(""),
      reason: z.string().exactOptional(),
      confidence: z.number().exactOptional(),
    }),
  ),
});

/** The text, after its signals have been given as by a tool; whatever the turn still says counts less (SIG-2). */
async function giveSignals({ request, client }: TurnWork, answer: object): Promise<string> {
  const { agent } = request;
  const { data, error } = signalling.safeParse(answer);
  if (data === undefined) throw functionAnswerInvalid({ agent, problem: z.prettifyError(error) });
  for (const signal of data.signals) {
    const refused = await client.signal(signal);
    if (refused === undefined) continue;
    throw functionAnswerInvalid({
      agent,
      problem: `its signal ${signal.kind} does not count: ${refused}`,
    });
  }
  return data.text;
}

function toInput(work: TurnWork, session: SessionRequest): AgentFunctionInput {
  const { request, client, signal, emit } = work;
  const { run, agent, task, prompt, key, step, stepAttempt = 1, previousError } = request;
  return {
    run,
    agent,
    task,
    prompt,
    key,
    attempt: stepAttempt,
    ...present({ step, previousError }),
    cwd: session.cwd,
    env: session.env,
    signal,
    post: client.post,
    ask: client.ask,
    callTool: client.callTool,
    editDocument: client.editDocument,
    requestPermission: client.requestPermission,
    giveSignal: client.signal,
    stream: (text) => emit({ type: "text-delta", text }),
    reportUsage: (usage) => emit({ type: "usage", usage }),
  };
}

/** A function cannot be killed; that it ignored the cancellation stands in the agent's log, else on stderr. */
async function recordLeftBehind(work: TurnWork, { logFile }: SessionRequest): Promise<void> {
  const { agent, turn } = work.request;
  const line = `the function of agent "${agent}" was still running when its turn ${turn} was cancelled; it goes on without its agent`;
  if (logFile === undefined) process.emitWarning(line, "TroupeWarning");
  else await appendFile(logFile, `${line}\n`, { mode: 0o600 });
}

/** Where the functions of agents come from. */
export interface FunctionSources {
  /** Functions given in code, by agent id; they beat `module`. */
  readonly functions: ReadonlyMap<string, AgentFunction>;
  /** Loads a module by its absolute path. */
  readonly importModule: (specifier: string) => Promise<unknown>;
}

const settingsSchema = z.object({ module: z.string().optional() });

/**
 * The function of an agent: the one given in code, else the export that `module: path#export` names.
 * Raises BACKEND_SETTINGS_INVALID when there is neither, BACKEND_MODULE_INVALID.
 */
async function findFunction(
  spec: AgentSpec,
  { functions, importModule }: FunctionSources,
): Promise<AgentFunction> {
  const inline = functions.get(spec.copyOf ?? spec.id);
  if (inline !== undefined) return inline;
  const { data } = settingsSchema.safeParse(spec.settings ?? {});
  if (data?.module === undefined)
    throw settingsInvalid({ agent: spec.id, problem: "expected `module: path#export`" });
  const { module } = data;
  const hash = module.lastIndexOf("#");
  const [path, name] = [module.slice(0, hash), module.slice(hash + 1)];
  const invalid = (problem: string, cause?: unknown) =>
    moduleInvalid({ agent: spec.id, module, problem }, { cause });
  if (hash < 1 || name === "") throw invalid("names no export");
  const exported = await load(path, importModule, invalid);
  const found = isRecord(exported) && Object.hasOwn(exported, name) ? exported[name] : undefined;
  if (!isFunction(found)) throw invalid(`exports no function "${name}"`);
  return found;
}

async function load(
  path: string,
  importModule: FunctionSources["importModule"],
  invalid: (problem: string, cause: unknown) => Error,
): Promise<unknown> {
  try {
    return await importModule(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(`cannot be loaded: ${reason}`, error);
  }
}

function isFunction(value: unknown): value is AgentFunction {
  return typeof value === "function";
}
