import type { TurnRequest } from "../contracts/backend.ts";
import type { ReceivedMessage } from "../contracts/message.ts";
import type { StepAddress } from "../contracts/step.ts";
import type { TurnClient } from "../contracts/turn-client.ts";
import { turnsBefore } from "../fold/state/agent-lookup.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import { present } from "../foundation/present.ts";
import { renderInbox } from "../messaging/inbox-text.ts";
import { wholeText } from "../messaging/message-body.ts";
import type { SessionPorts } from "./session-ports.ts";
import type { PromptItem } from "./turn-prompt.ts";
import type { PlannedTurn } from "./turn-start.ts";

/** What a backend is asked for. */
export interface RequestedTurn {
  readonly agent: AgentState;
  readonly planned: PlannedTurn;
  readonly ports: SessionPorts;
  /** What Troupe tells the agent before everything else. */
  readonly notice: string | undefined;
  /** What it is told of an interruption; stands before the notice. */
  readonly interruption: string | undefined;
  /** What it is told of the marks of others; empty where there are none. */
  readonly marks: string;
  readonly signal: AbortSignal;
  readonly client: TurnClient;
}

/** The request of a turn: notice, messages and prompt as one text. */
export function toTurnRequest(requested: RequestedTurn): TurnRequest {
  const { agent, planned, ports, notice = "", interruption, marks, signal, client } = requested;
  const { prompt, messages, turn, attempt, key } = planned;
  const { step, previousError } = prompt?.input ?? {};
  const parts = [
    interruption ?? "",
    notice,
    renderInbox(messages),
    prompt?.input.prompt ?? "",
    marks,
  ];
  const text = parts.filter((part) => part !== "").join("\n\n");
  const whole = messages.map((message) => ({
    ...message,
    text: wholeText(ports.runtime, message),
  }));
  return {
    run: ports.runtime.run,
    agent: agent.id,
    turn,
    attempt,
    // One execution of a step has one key through all retries and crashes; other turns have that of their items.
    key: step === undefined ? key : `${ports.runtime.run}/${step.path}#${step.execution}`,
    prompt: text,
    task: taskOf(prompt, whole),
    ...(prompt === undefined ? { messages: whole } : {}),
    ...(step === undefined ? {} : { step: step.path, stepAttempt: startsOf(ports, step) }),
    ...(previousError === undefined ? {} : { previousError }),
    ...(agent.isToCompact ? { compact: true } : {}),
    ...present({ interruption }),
    // Made when asked for: it grows with the run, and most backends have no use for it.
    get turnsBefore() {
      return turnsBefore(agent);
    },
    signal,
    client,
  };
}

/** What a program gets that takes no conventions. */
function taskOf(prompt: PromptItem | undefined, messages: readonly ReceivedMessage[]): string {
  if (prompt === undefined) return messages.map(({ text }) => text).join("\n\n");
  const { task, prompt: asked, takesMessages } = prompt.input;
  const own = task ?? asked;
  return takesMessages === true && messages.length > 0 ? `${renderInbox(messages)}\n\n${own}` : own;
}

/** Every start counts, also one after the owner's death: no two processes are told the same number. */
function startsOf({ runtime }: SessionPorts, { path, execution, attempt }: StepAddress): number {
  const starts = runtime.state.steps.starts.get(path);
  return Math.max(attempt, starts?.execution === execution ? starts.count : 0);
}
