import type { TurnInterrupted } from "../contracts/events/agent-events.ts";
import { withoutFailure } from "../contracts/failure.ts";
import { findMailbox } from "../fold/state/agent-lookup.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import type { ErrorReport } from "../foundation/errors.ts";
import { present } from "../foundation/present.ts";
import { tellChanges } from "../messaging/tell-shadows.ts";
import type { TurnEnding } from "./budget/settle-turn.ts";
import type { TurnAllowance } from "./budget/turn-allowance.ts";
import type { SessionPorts } from "./session-ports.ts";
import type { TurnCollector } from "./turn-collector.ts";
import type { TurnDeadline } from "./turn-deadline.ts";
import { type PlannedTurn, turnItemsOf } from "./turn-start.ts";

/** The turn that is written down. */
export interface JournaledTurn {
  readonly agent: AgentState;
  readonly session: string;
  readonly planned: PlannedTurn;
  readonly ports: SessionPorts;
  readonly allowance: TurnAllowance;
  readonly collector: TurnCollector;
}

/** Journals the start of a turn: what it takes from the mailbox with it. */
export function journalStart({ agent, planned, session, ports }: JournaledTurn): void {
  const { turn, attempt, key, prompt, messages, terms } = planned;
  const step = prompt?.input.step;
  const at = { agent: agent.id, turn };
  const items = turnItemsOf(planned);
  ports.runtime.append({
    type: "turn-started",
    ...at,
    attempt,
    session,
    key,
    items,
    ...present({ step }),
    ...(Object.keys(terms).length === 0 ? {} : { terms }),
  });
  const ids = messages.map((message) => message.id);
  if (ids.length > 0) ports.runtime.append({ type: "message-delivered", ...at, ids });
}

/** Writes down how a turn ends that does not complete: with what it has used, and counted by its budgets. */
export class TurnJournal {
  readonly #turn: JournaledTurn;
  readonly #deadline: TurnDeadline;

  /** `deadline` tells how long the turn has worked. */
  constructor(turn: JournaledTurn, deadline: TurnDeadline) {
    this.#turn = turn;
    this.#deadline = deadline;
  }

  fail(error: ErrorReport, ending: TurnEnding): void {
    this.settleBudget(ending);
    const { agent, planned, ports, collector } = this.#turn;
    const { usage } = collector;
    const { text } = collector.text;
    tellChanges(ports.runtime, agent.id, planned.turn);
    const said = text === "" ? {} : { text };
    const at = { agent: agent.id, turn: planned.turn };
    ports.runtime.append({
      type: "turn-failed",
      ...at,
      error: withoutFailure(error),
      ...said,
      usage,
    });
  }

  /** As `fail`, of a turn whose input is not taken again. */
  giveUp(error: ErrorReport, ending: TurnEnding): void {
    this.closeInput();
    this.fail(error, ending);
  }

  /**
   * What a spawned agent was told is answered by how its turn ended, whatever that is: whoever told it decides what
   * comes next. `isForgotten`: the same of any agent.
   */
  closeInput(isForgotten = false): void {
    const { agent, planned, ports } = this.#turn;
    if (planned.prompt !== undefined) return;
    if (!isForgotten && agent.spec.spawnedBy === undefined) return;
    const mailbox = findMailbox(ports.runtime.state, agent.id);
    const ids = mailbox?.takenByTurn.get(planned.turn) ?? [];
    if (ids.length > 0)
      ports.runtime.append({ type: "message-acked", agent: agent.id, ids: [...ids] });
  }

  /** `ending` is `again` when the same turn will be started again. */
  interrupt(reason: TurnInterrupted["reason"], ending: "cut" | "again"): void {
    const { agent, planned, ports, collector } = this.#turn;
    const { usage } = collector;
    this.settleBudget(ending);
    if (ending === "cut") tellChanges(ports.runtime, agent.id, planned.turn);
    ports.runtime.append({
      type: "turn-interrupted",
      agent: agent.id,
      turn: planned.turn,
      reason,
      ...(Object.keys(usage).length === 0 ? {} : { usage }),
    });
  }

  /** Journals what the turn is counted with. */
  settleBudget(ending: TurnEnding): void {
    const { allowance, collector } = this.#turn;
    allowance.settle(ending, collector.usage, this.#deadline.workedMs);
  }
}
