import type { AgentSpec } from "../../contracts/agent.ts";
import type { ContinuedSession } from "../../contracts/events/agent-events.ts";
import type { Message } from "../../contracts/message.ts";
import { FORK_MARK } from "../../contracts/session-record.ts";
import { newestFirst } from "../../fold/message-reading.ts";
import { agentKey } from "../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import type { MessageSource } from "../../fold/state/message-source.ts";
import { collabCannotFork } from "./errors.ts";

const MOST_INPUTS = 5;
const MAX_INPUT_CHARS = 1500;
const MAX_ANSWER_CHARS = 4000;

/** The session that an agent goes on with that comes back. */
export function continuedSession(source: MessageSource, agent: AgentState): ContinuedSession {
  const { id, lastResume: resume } = agent;
  const handOver = tellHandOver(source, agent);
  return { session: `${id}/main`, ...(resume === undefined ? {} : { resume }), handOver };
}

/** The session of an agent that begins with all that its parent has said and heard. Raises COLLAB_CANNOT_FORK. */
export function forkedSession(parent: AgentState, child: AgentSpec): ContinuedSession {
  const record = [...parent.sessions.values()]
    .flatMap(({ resume }) => (resume === undefined ? [] : (parent.records.get(resume) ?? [])))
    .at(-1);
  const { backend } = parent;
  if (record === undefined || child.backend !== backend) throw collabCannotFork({ backend });
  return { session: `${child.id}/main`, resume: `${FORK_MARK}${parent.id}`, record };
}

/** What an agent is told of its earlier life, for a session that remembers nothing of it. */
function tellHandOver(source: MessageSource, { id, lastText }: AgentState): string {
  const received = source.state.messages.byReader.get(agentKey(id)) ?? [];
  const isDirect = ({ to }: Message) => to !== undefined;
  const inputs = newestFirst(source, received)
    .filter(isDirect)
    .take(MOST_INPUTS)
    .toArray()
    .reverse();
  const told = inputs.map(({ from, text }) => `${from} told you: ${quote(text, MAX_INPUT_CHARS)}`);
  const answer =
    lastText === undefined || lastText === ""
      ? []
      : [`The last that you said: ${quote(lastText, MAX_ANSWER_CHARS)}`];
  return ["You took part in this run before.", ...told, ...answer].join("\n");
}

/** On one line, so that nothing in it passes for a line of Troupe's own. */
function quote(text: string, maxChars: number): string {
  return JSON.stringify(
    text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}…` : text,
  );
}
