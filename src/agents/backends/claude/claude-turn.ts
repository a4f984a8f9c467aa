import { randomUUID } from "node:crypto";
import type { SessionRequest } from "../../../contracts/backend.ts";
import { rejectOnAbort } from "../../../foundation/abort.ts";
import type { Clock, Timer } from "../../../foundation/clock.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import type { TerminalUpdate, TurnWork } from "../parts/turn-gate.ts";
import { decidePermission } from "./claude-permissions.ts";
import type { ClaudeProgram } from "./claude-program.ts";
import {
  type ControlMessage,
  interruptRequest,
  permissionAnswer,
  readControl,
  refusalAnswer,
  userMessage,
} from "./claude-protocol.ts";
import { createClaudeReader } from "./claude-reader.ts";

/** One turn of a session. */
export interface ClaudeTurn {
  /** Carries it out. Rejects with HOST_* errors. */
  run(): Promise<TerminalUpdate>;
  /** Says something into it; resolves with whether it still was in time. */
  steer(text: string): Promise<boolean>;
}

/** What a turn works with. */
export interface ClaudeTurnOptions {
  readonly work: TurnWork;
  readonly program: ClaudeProgram;
  readonly session: Pick<SessionRequest, "spec">;
  readonly clock: Clock;
}

/** How long the program may take to end a turn that is interrupted, before it is ended itself. */
const INTERRUPT_GRACE_MS = 2000;
const ACTIVITY_INTERVAL_MS = 1000;

/** A turn on a program that is in no other. */
export function createClaudeTurn(options: ClaudeTurnOptions): ClaudeTurn {
  const { work, program, session, clock } = options;
  const { spec } = session;
  const unanswered = new Set<string>();
  const reader = createClaudeReader({
    agent: spec.id,
    unanswered,
    meter: program.meter,
    now: clock.now,
  });
  const { promise: over, resolve: end } = Promise.withResolvers<TerminalUpdate>();
  const emit = activityAtTimes(work.emit, clock);
  let isOver = false;
  const say = async (text: string) => {
    const id = randomUUID();
    unanswered.add(id);
    await program.send(userMessage(id, text));
  };
  const answer = async (control: ControlMessage) => {
    if (control.type === "request") await program.send(refusalAnswer(control.id));
    if (control.type !== "permission") return;
    try {
      const decision = await decidePermission(control, work.client, spec.tools);
      await program.send(permissionAnswer(control.id, decision));
    } catch (error) {
      // The interrupt that follows an abort tells the program enough.
      if (work.signal.aborted) return;
      const { message } = toErrorReport(error);
      await program.send(permissionAnswer(control.id, { behavior: "deny", message }));
    }
  };
  const take = (line: string) => {
    const control = readControl(line);
    // It raises nothing.
    if (control !== undefined) void answer(control);
    else
      for (const update of reader.take(line)) {
        if (update.type !== "stop" && update.type !== "error") emit(update);
        else {
          isOver = true;
          end(update);
        }
      }
  };
  const carryOut = async (): Promise<TerminalUpdate> => {
    await say(work.request.prompt);
    return over;
  };
  return {
    run: async () => {
      const aborted = rejectOnAbort(work.signal);
      program.listen(take);
      try {
        return await Promise.race([carryOut(), lossOf(program), aborted.promise]);
      } catch (error) {
        if (!work.signal.aborted) throw error;
        await interrupt({ program, over, clock });
        return { type: "stop", reason: "cancelled" };
      } finally {
        isOver = true;
        aborted.stop();
        program.listen(undefined);
      }
    },
    steer: async (text) => {
      if (isOver || work.signal.aborted) return false;
      await say(text);
      return true;
    },
  };
}

/** The end of a turn whose program is gone. */
async function lossOf({ gone }: ClaudeProgram): Promise<TerminalUpdate> {
  return { type: "error", error: toErrorReport(await gone), sessionLost: true };
}

/** Lets the program end its turn, so that the session knows of it; then it may be ended. */
async function interrupt({
  program,
  over,
  clock,
}: {
  readonly program: ClaudeProgram;
  readonly over: Promise<unknown>;
  readonly clock: Clock;
}): Promise<void> {
  let timer: Timer | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = clock.startTimer(INTERRUPT_GRACE_MS, resolve);
  });
  // A program that does not read its stdin must not keep the turn from ending.
  void program.send(interruptRequest(randomUUID()));
  try {
    await Promise.race([over, program.gone, patience]);
  } finally {
    timer?.cancel();
  }
}

/** Passes updates on, signs of mere activity at most once in a while. */
function activityAtTimes(emit: TurnWork["emit"], clock: Clock): TurnWork["emit"] {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (update) => {
    const nowMs = clock.monotonic();
    if (update.type === "activity" && nowMs - lastMs < ACTIVITY_INTERVAL_MS) return;
    lastMs = nowMs;
    emit(update);
  };
}
