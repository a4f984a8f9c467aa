import type { Host } from "../../contracts/host.ts";
import type { OperationCall, OperationHandler } from "../../contracts/operation.ts";
import type { StepCall, StepOptions } from "../../contracts/ports/context.ts";
import { delay, rejectOnAbort } from "../../foundation/abort.ts";
import { backoffMs } from "../../foundation/backoff.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { type Json, toJson } from "../../foundation/json.ts";
import type { Random } from "../../foundation/random.ts";
import { operationTimedOut, stepFailed } from "../errors.ts";
import type { Timers } from "../ports.ts";

/** What a step needs of its run. */
export interface StepPorts {
  readonly timers: Timers;
  readonly host: Host;
  readonly reflecting: StepCall["reflecting"];
  readonly functions: StepCall["functions"];
  readonly lessons: StepCall["lessons"];
  readonly workPlaces: StepCall["workPlaces"];
  /** For the jitter of retries; of no consequence to the program. */
  readonly jitter: Random;
}

/** The function of one step: code, so it is handed over with the question instead of being journaled. */
export interface StepTask {
  /** `watch`: it waits for something outside of the run and does nothing itself. */
  readonly kind: "step" | "watch";
  readonly name: string;
  readonly run: (call: StepCall) => Promise<unknown> | unknown;
  readonly options: StepOptions;
}

/** Runs a step's function until it succeeds or its attempts are used up. */
export function stepHandler(task: StepTask, ports: StepPorts): OperationHandler {
  const { retry, timeoutMs } = task.options;
  const isPlain = retry === undefined && timeoutMs === undefined;
  return {
    kind: task.kind,
    effect: "world",
    waitsFor: task.kind === "watch" ? "others" : "work",
    execute: (_input, call) =>
      isPlain ? runPlain(task, call, ports) : runWithRetries(task, call, ports),
  };
}

function runPlain(task: StepTask, call: OperationCall, ports: StepPorts): Promise<Json> | Json {
  const start = new StepStart(call, ports);
  try {
    const result = task.run(start);
    if (!(result instanceof Promise)) return toResult(task, result);
    return result.then(
      (value: unknown) => {
        start.assertNotStopped();
        return toResult(task, value);
      },
      (error: unknown) => {
        throw toStepError(task, error);
      },
    );
  } catch (error) {
    throw toStepError(task, error);
  }
}

async function runWithRetries(
  task: StepTask,
  call: OperationCall,
  ports: StepPorts,
): Promise<Json> {
  const { retry } = task.options;
  for (let failedAttempts = call.failedAttempts + 1; ; failedAttempts += 1) {
    try {
      return await runWithin(task, call, ports);
    } catch (error) {
      const stepError = toStepError(task, error);
      const mayRetry =
        retry !== undefined && stepError.retryable && failedAttempts < retry.maxAttempts;
      if (!mayRetry || call.signal.aborted) throw stepError;
      const delayMs = backoffMs(retry, failedAttempts, ports.jitter);
      await call.beginAttempt(delayMs);
      await delay(ports.timers, delayMs, call.signal);
    }
  }
}

async function runWithin(task: StepTask, call: OperationCall, ports: StepPorts): Promise<Json> {
  const { timeoutMs } = task.options;
  if (timeoutMs === undefined) return runPlain(task, call, ports);
  const deadline = new AbortController();
  const timer = ports.timers.startTimer(timeoutMs, () =>
    deadline.abort(operationTimedOut({ step: task.name, timeoutMs })),
  );
  const signal = AbortSignal.any([call.signal, deadline.signal]);
  const timedOut = rejectOnAbort(deadline.signal);
  const start = new StepStart({ attempt: call.attempt, key: call.key, signal }, ports);
  try {
    const running = Promise.resolve(task.run(start));
    // A function that ignores its signal must not hold the attempt; its late result is dropped.
    const value = await Promise.race([running, timedOut.promise]);
    start.assertNotStopped();
    return toResult(task, value);
  } finally {
    timer.cancel();
    timedOut.stop();
  }
}

/** One attempt, as the step's function sees it. */
class StepStart implements StepCall {
  readonly attempt: number;
  readonly host: Host;
  readonly reflecting: StepCall["reflecting"];
  readonly functions: StepCall["functions"];
  readonly lessons: StepCall["lessons"];
  readonly workPlaces: StepCall["workPlaces"];
  readonly #call: Pick<OperationCall, "key" | "signal">;
  #hasSignal = false;

  constructor(
    call: Pick<OperationCall, "attempt" | "key" | "signal">,
    { host, reflecting, functions, lessons, workPlaces }: Omit<StepPorts, "timers" | "jitter">,
  ) {
    this.#call = call;
    this.attempt = call.attempt;
    this.host = host;
    this.reflecting = reflecting;
    this.functions = functions;
    this.lessons = lessons;
    this.workPlaces = workPlaces;
  }

  get key(): string {
    return this.#call.key;
  }

  get signal(): AbortSignal {
    this.#hasSignal = true;
    return this.#call.signal;
  }

  /** What a function that was told to stop returns may be half of its result, so it is none. */
  assertNotStopped(): void {
    if (this.#hasSignal) this.#call.signal.throwIfAborted();
  }
}

function toResult(task: StepTask, value: unknown): Json {
  return toJson(value, `the result of step "${task.name}"`);
}

function toStepError(task: StepTask, error: unknown): TroupeError {
  if (error instanceof TroupeError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return stepFailed({ step: task.name, message }, { cause: error });
}
