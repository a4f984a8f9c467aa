import { constants } from "node:fs";
import { open, stat, writeFile } from "node:fs/promises";
import type { AgentSession, SessionRequest } from "../../../contracts/backend.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { assertNoOrders } from "../parts/assert-no-orders.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { agentExited } from "../parts/errors.ts";
import { toProviderError } from "../parts/provider-error.ts";
import { type TerminalUpdate, TurnGate, type TurnWork } from "../parts/turn-gate.ts";
import { answerIn } from "./aider-answer.ts";
import {
  type AiderCommand,
  commonArguments,
  environmentOf,
  OBEDIENT_AIDER,
  turnArguments,
} from "./aider-arguments.ts";
import { createPlaces } from "./aider-places.ts";
import { type AiderOutcome, createAiderReader } from "./aider-reader.ts";
import { type AiderExit, runAider } from "./run-aider.ts";

// An answer has 1 Mi characters at most, of four bytes at most.
const MAX_ADDED_BYTES = 4 * 1024 * 1024;

/** Where a session of aider comes from. */
export interface AiderSessionOptions {
  readonly host: ProcessHost;
  readonly settings: BackendSettings | undefined;
  readonly request: SessionRequest;
}

/** Opens a session: a conversation file, with one process of aider per turn. */
export async function openAiderSession(options: AiderSessionOptions): Promise<AgentSession> {
  const { request, settings, host } = options;
  assertNoOrders(request, OBEDIENT_AIDER);
  const places = await createPlaces(request);
  const command = { request, settings, places };
  const gate = new TurnGate({ agent: request.spec.id, session: request.session });
  return {
    ...(places.resume === undefined ? {} : { resume: places.resume }),
    prompt: (turn) => gate.run(turn, (work) => runTurn(work, command, host)),
    close: async () => {
      await gate.close();
      await places.dispose();
    },
  };
}

async function runTurn(
  work: TurnWork,
  command: AiderCommand,
  host: ProcessHost,
): Promise<TerminalUpdate> {
  const { request, places } = command;
  const edits = await mayEdit(work, request);
  await writeFile(places.prompt, toPrompt(work.request.prompt, edits), { mode: 0o600 });
  const beforeBytes = await conversationBytes(places.history);
  const reader = createAiderReader();
  const end = await runAider({
    host,
    session: request,
    argv: [...commonArguments(command), ...turnArguments(places, edits.areAllowed)],
    env: environmentOf(command),
    reader,
    work,
  });
  return toTerminal(end, reader.outcome, {
    agent: request.spec.id,
    text: answerIn(await conversationAfter(places.history, beforeBytes)),
  });
}

/** Whether the turn may change files, and what people said to it. */
interface EditPermission {
  readonly areAllowed: boolean;
  readonly comment?: string;
}

/** Aider asks about nothing that it could be answered: so the one question comes before it starts. */
async function mayEdit(
  { client }: TurnWork,
  { spec, cwd }: SessionRequest,
): Promise<EditPermission> {
  const hasTool = spec.tools === undefined || spec.tools.includes("Edit");
  if (spec.permissionMode === "plan" || !hasTool) return { areAllowed: false };
  const { decision, comment } = await client.requestPermission("Edit", { file_path: cwd });
  const areAllowed = decision === "allowed";
  return comment === undefined ? { areAllowed } : { areAllowed, comment };
}

function toPrompt(prompt: string, { areAllowed, comment }: EditPermission): string {
  const denial = areAllowed ? "" : "You may not change files in this turn.";
  const head = [denial, comment ?? ""].filter((part) => part !== "").join(" ");
  if (head !== "") return `Note: ${head}\n\n${prompt}`;
  // What begins so would be a command of aider, and some of them run programs.
  return /^\s*[/!]/.test(prompt) ? `Task:\n${prompt}` : prompt;
}

/** 0 before the first turn. */
async function conversationBytes(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** What was added since; of very much the end. */
async function conversationAfter(file: string, beforeBytes: number): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (handle === undefined) return "";
  try {
    const { size } = await handle.stat();
    const from = Math.max(beforeBytes, size - MAX_ADDED_BYTES);
    const bytes = Buffer.alloc(Math.max(0, size - from));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
    return bytes.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

function toTerminal(
  { exit, stderr, isCancelled }: AiderExit,
  outcome: AiderOutcome,
  { agent, text }: { readonly agent: string; readonly text: string },
): TerminalUpdate {
  if (isCancelled) return { type: "stop", reason: "cancelled" };
  if (outcome.status === "answered" && exit.exitCode === 0)
    return { type: "stop", reason: "end_turn", text };
  const error =
    outcome.status === "failed" ? toFailure(agent, outcome) : toExit(agent, exit, stderr);
  return { type: "error", error: toErrorReport(error), text };
}

function toFailure(agent: string, outcome: Extract<AiderOutcome, { status: "failed" }>): Error {
  const { problem, httpStatus } = outcome;
  return toProviderError({
    agent,
    problem,
    ...(httpStatus === undefined ? {} : { status: httpStatus }),
  });
}

function toExit(agent: string, exit: AiderExit["exit"], stderr: string): Error {
  return agentExited({
    agent,
    stderr,
    ...(exit.exitCode === null ? {} : { exitCode: exit.exitCode }),
    ...(exit.signal === null ? {} : { signal: exit.signal }),
  });
}
