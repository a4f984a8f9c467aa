import type { z } from "zod";
import {
  DAEMON_PROTOCOL,
  type DaemonAsk,
  type DaemonStatus,
  daemonStatus,
  daemonStopped,
  MAX_DAEMON_LINE_CHARS,
  type RunParted,
  runParted,
  runTaken,
  scheduleTaken,
} from "../../control/daemon-protocol.ts";
import { controlRefused } from "../../control/errors.ts";
import { sendLine } from "../../control/line-client.ts";
import type { LineAnswer } from "../../control/line-connection.ts";
import { delay } from "../../foundation/abort.ts";
import type { Clock } from "../../foundation/clock.ts";
import { TroupeError } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import { assertOwnState } from "../machine/place/believed-places.ts";
import type { Environment } from "../machine/place/project.ts";
import { BUILD } from "../machine/place/version.ts";
import { daemonFiles } from "./daemon-files.ts";
import { type DaemonContact, readContact } from "./daemon-record.ts";
import {
  daemonDenied,
  daemonNotRunning,
  daemonStopping,
  daemonUnreachable,
  daemonVersionDiffers,
} from "./errors.ts";
import { assertNotElsewhere } from "./socket-owner.ts";
import { startDaemon } from "./start-daemon.ts";

/** What a client of the daemon knows of its surroundings. */
export interface DaemonClient {
  readonly env: Environment;
  readonly clock: Clock;
}

/** What is asked with an ask of a kind. */
type AskOf<Kind extends DaemonAsk["kind"]> = Omit<Extract<DaemonAsk, { kind: Kind }>, "kind">;

const STATUS_MS = 2000;
// The daemon lets go of all runs within 10 s.
const STOP_MS = 15_000;
// Before a run starts, its agents' programs are looked at, which may take some seconds each.
const TAKE_MS = 120_000;
const FOREVER_MS = 2 ** 45;
const RETRY_MS = 100;

/** How the daemon is; undefined when none runs. Raises DAEMON_* errors. */
export async function daemonStatusOf(client: DaemonClient): Promise<DaemonStatus | undefined> {
  const result = await askRunning(client, { kind: "status" }, STATUS_MS);
  return result === undefined ? undefined : parse(daemonStatus, result);
}

/** Tells the daemon to end; how many runs it let go of, undefined when none ran. Raises DAEMON_* errors. */
export async function stopDaemon(client: DaemonClient): Promise<number | undefined> {
  const result = await askRunning(client, { kind: "stop" }, STOP_MS);
  return result === undefined ? undefined : parse(daemonStopped, result).suspended;
}

/** Starts a run in the daemon, which is started if none runs. Raises DAEMON_* errors and what startRun raises. */
export async function startInDaemon(
  client: DaemonClient,
  request: AskOf<"start">,
): Promise<{ readonly run: string }> {
  return parse(runTaken, await askStarting(client, { kind: "start", ...request }));
}

/** Hands a run over to the daemon, which is started if none runs. Raises DAEMON_* errors and what resumeRun raises. */
export async function resumeInDaemon(
  client: DaemonClient,
  request: AskOf<"resume">,
): Promise<{ readonly run: string }> {
  return parse(runTaken, await askStarting(client, { kind: "resume", ...request }));
}

/** Waits until the daemon does not carry out a run any more. Raises DAEMON_* errors. */
export async function awaitInDaemon(
  client: DaemonClient,
  request: AskOf<"await">,
): Promise<RunParted> {
  const result = await askRunning(client, { kind: "await", ...request }, FOREVER_MS);
  if (result === undefined) throw daemonNotRunning({});
  return parse(runParted, result);
}

/** Keeps a schedule in the daemon, which is started if none runs. Raises DAEMON_* errors, SCHEDULE_EXISTS and what its file is wrong about. */
export async function scheduleInDaemon(
  client: DaemonClient,
  request: AskOf<"schedule">,
): Promise<void> {
  parse(scheduleTaken, await askStarting(client, { kind: "schedule", ...request }));
}

/** Changes a schedule in the daemon, which is started if none runs. Raises DAEMON_* errors, SCHEDULE_NOT_FOUND and what its file is wrong about. */
export async function changeSchedule(
  client: DaemonClient,
  request: AskOf<"change-schedule">,
): Promise<void> {
  parse(scheduleTaken, await askStarting(client, { kind: "change-schedule", ...request }));
}

/** Starts the daemon unless one runs. Resolves once it answers. Raises DAEMON_* errors. */
export async function ensureDaemon(client: DaemonClient): Promise<DaemonStatus> {
  return parse(daemonStatus, await askStarting(client, { kind: "status" }));
}

async function askStarting(client: DaemonClient, ask: DaemonAsk): Promise<Json> {
  const untilMs = client.clock.monotonic() + STOP_MS;
  for (;;) {
    try {
      // A frozen one is noticed by this, not by the patience that a start needs.
      const result = (await isThere(client)) ? await askRunning(client, ask, TAKE_MS) : undefined;
      if (result !== undefined) return result;
      await startDaemon(client, (contact) => isAnswering(client, contact));
    } catch (error) {
      // One that is about to end is waited for; the next one takes the request.
      if (!isCode(error, daemonStopping.code) || client.clock.monotonic() > untilMs) throw error;
      await delay(client.clock, RETRY_MS, new AbortController().signal);
    }
  }
}

/** Whether a daemon answers. One that dies just now hangs up first, so it is asked again. */
async function isThere(client: DaemonClient): Promise<boolean> {
  const ask = () => askRunning(client, { kind: "status" }, STATUS_MS);
  try {
    return (await ask()) !== undefined;
  } catch (error) {
    if (!isCode(error, daemonUnreachable.code)) throw error;
    await delay(client.clock, RETRY_MS, new AbortController().signal);
    return (await ask()) !== undefined;
  }
}

/** The answer of the daemon that runs; undefined when none does. */
async function askRunning(
  client: DaemonClient,
  ask: DaemonAsk,
  timeoutMs: number,
): Promise<Json | undefined> {
  const files = daemonFiles(client.env);
  assertOwnState(files.directory);
  const contact = readContact(files);
  if (contact === undefined) {
    await assertNotElsewhere(files, client.clock);
    return undefined;
  }
  const asked = { ask, timeoutMs };
  const answer = await send(client, contact, asked).catch((error: unknown) => {
    // The daemon may have changed between the look at its token and the call.
    const now = isCode(error, daemonDenied.code) ? readContact(files) : undefined;
    if (now === undefined || now.token === contact.token) throw error;
    return send(client, now, asked);
  });
  return answer.status === "answered" ? answer.result : undefined;
}

async function send(
  { clock }: DaemonClient,
  { record, token }: DaemonContact,
  { ask, timeoutMs }: { readonly ask: DaemonAsk; readonly timeoutMs: number },
): Promise<LineAnswer> {
  try {
    return await sendLine({
      socketPath: record.socket,
      request: { token, version: BUILD, ask },
      version: DAEMON_PROTOCOL,
      maxLineChars: MAX_DAEMON_LINE_CHARS,
      clock,
      timeoutMs,
    });
  } catch (error) {
    if (!(error instanceof TroupeError) || error.code !== controlRefused.code) throw error;
    throw daemonUnreachable({ problem: error.message }, { cause: error });
  }
}

async function isAnswering(client: DaemonClient, contact: DaemonContact): Promise<boolean> {
  const asked = { ask: { kind: "status" } as const, timeoutMs: STATUS_MS };
  try {
    return (await send(client, contact, asked)).status === "answered";
  } catch (error) {
    // What was read was of the daemon before: it is about to go, or has just been replaced.
    if (isCode(error, daemonUnreachable.code) || isCode(error, daemonDenied.code)) return false;
    throw error;
  }
}

function parse<Value>(schema: z.ZodType<Value>, result: Json): Value {
  const parsed = schema.safeParse(result);
  if (parsed.success) return parsed.data;
  throw daemonVersionDiffers({ running: "another version", own: BUILD });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof TroupeError && error.code === code;
}
