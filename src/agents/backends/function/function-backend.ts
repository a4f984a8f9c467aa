import { appendFile } from "node:fs/promises";
import type { AgentFunction, AgentFunctionInput } from "../../../contracts/agent-function.ts";
import type { AgentBackend, SessionRequest } from "../../../contracts/backend.ts";
import { rejectOnAbort } from "../../../foundation/abort.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import { toJson } from "../../../foundation/json.ts";
import { functionFailed } from "../parts/errors.ts";
import { problemsOf } from "../parts/problems-of.ts";
import type { TerminalUpdate, TurnWork } from "../parts/turn-gate.ts";
import { TurnGate } from "../parts/turn-gate.ts";
import type { FunctionSources } from "./find-function.ts";
import { findFunction } from "./find-function.ts";

/**
 * The backend that calls a TypeScript function per turn, in this process. `open` raises
 * BACKEND_SETTINGS_INVALID and BACKEND_MODULE_INVALID; turns fail with BACKEND_FUNCTION_FAILED or the
 * code of the TroupeError that was thrown.
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
    return answer === undefined
      ? ""
      : JSON.stringify(toJson(answer, `what the function of agent "${agent}" returned`));
  } catch (error) {
    if (error instanceof TroupeError) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    throw functionFailed({ agent, problem }, { cause: error });
  }
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
    ...(step === undefined ? {} : { step }),
    ...(previousError === undefined ? {} : { previousError }),
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
