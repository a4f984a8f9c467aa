import type { Machine } from "../../src/app/machine/machine.ts";
import type { WorkflowRun } from "../../src/app/run/owner/workflow-run.ts";
import { startRun } from "../../src/app/run/start-run.ts";
import { loadFile } from "../../src/app/workflow/load-file.ts";
import { STANDALONE_PROGRAM } from "../../src/app/workflow/shapes/standalone.ts";
import type { RunCommand } from "../../src/contracts/events/run-events.ts";
import { findAgent, findMailbox } from "../../src/fold/state/agent-lookup.ts";
import type { RunState } from "../../src/fold/state/run-state.ts";

/** What the person says, one after the other. */
export const SAID = ["one", "two", "three"] as const;

/** Begins a chat with an agent that tells the ledger and repeats what it hears. */
export async function startChat(machine: Machine, ledger: string): Promise<WorkflowRun> {
  const tell = (mark: string) =>
    `echo "${mark} $TROUPE_IDEMPOTENCY_KEY chat $TROUPE_ATTEMPT" >> '${ledger}'`;
  const script = `${tell("start")}; text=$(cat); ${tell("end")}; echo "heard $text"`;
  const agents = { helper: { backend: "command", command: ["sh", "-c", script] } };
  const text = JSON.stringify({ name: "helper", context: false, agents });
  const { definition } = await loadFile(machine, { file: "chat", text, until: "stopped" });
  if (definition === undefined) throw new Error("the workflow of the chat is not valid");
  const program = STANDALONE_PROGRAM;
  return startRun(machine, definition, { program, instance: "chat-1", approvals: "ask" });
}

/** A person who looks at the run after each event, and says what comes next when the agent is free. */
export function createSpeaker(run: WorkflowRun): () => void {
  let isBusy = false;
  const speak = () => {
    const next = isBusy ? undefined : nextOf(run.state);
    if (next === undefined) return;
    isBusy = true;
    run.command(next).then(
      () => {
        isBusy = false;
        // What came of it may have been all that there was to see.
        speak();
      },
      // A run that is over takes nothing; the test sees that from its journal.
      () => {},
    );
  };
  return speak;
}

/** By the journal alone: whoever goes on after a death knows no more. */
function nextOf(state: RunState): RunCommand | undefined {
  const agent = findAgent(state, "helper");
  if (agent === undefined || agent.status === "exited") return undefined;
  if (agent.turns.size + agent.interruptedTurns.size > 0) return undefined;
  if ((findMailbox(state, "helper")?.items.size ?? 0) > 0) return undefined;
  const count = state.messages.recent.filter(({ from }) => from === "user").length;
  const { id, model, mode } = agent;
  if (count === 1 && model === undefined) return { kind: "set-model", agent: id, model: "other" };
  if (count === 2 && mode === undefined) return { kind: "set-mode", agent: id, mode: "plan" };
  const text = SAID[count];
  return text === undefined
    ? { kind: "stop" }
    : { kind: "send", text, to: [id], key: `said-${count}` };
}
