import type { LeaseHolder } from "../../contracts/ports/store.ts";
import { sendRefusedCall } from "../../control/client.ts";
import { TroupeError } from "../../foundation/errors.ts";
import type { AgentAbove } from "../../host/agent-above.ts";
import { fromShownMark, ownerNumber, ownerOfMark } from "../../host/kernel-mark.ts";
import { knownMachines } from "../machine/known-machines.ts";
import { createMachineAt, type Machine, type MachineOptions } from "../machine/machine.ts";
import { callByAgent, type PersonalAct } from "./call-by-agent.ts";

/** A call of a person, and the program that made it. */
export interface CallOfAgent {
  readonly act: PersonalAct;
  /** As people know it: `troupe cancel`, `forkRun()`, `approvals: all`. */
  readonly command: string;
  readonly above: AgentAbove;
}

// A program that has lost its environment may belong to any run that its owner carries out; those are among the newest.
const MAX_SEARCHED_RUNS = 50;

/**
 * Refuses a call and has it written down in the run that the program belongs to, where that is carried out and can be
 * found. Always rejects, with USAGE_DECISION_BY_AGENT, USAGE_SPEECH_BY_AGENT or USAGE_CONTROL_BY_AGENT.
 */
export async function refuseCall(call: CallOfAgent, place: MachineOptions): Promise<never> {
  const refusal = callByAgent(call.act, call.command, call.above);
  try {
    await tellRuns(call, refusal.code, createMachineAt(place));
  } catch {
    // Whoever is refused learns that it is, and nothing else, also where its run cannot be told.
  }
  throw refusal;
}

async function tellRuns(
  { command, above }: CallOfAgent,
  code: string,
  machine: Machine,
): Promise<void> {
  const { agent, family } = above;
  const known = knownOwner(machine, above);
  const owners = known === undefined ? possibleOwners(machine, family) : [known];
  const call = {
    ...{ code, command },
    ...(agent === undefined ? {} : { agent }),
    ...(known === undefined ? { family } : {}),
  };
  await Promise.allSettled(
    owners.map(({ run, holder }) =>
      sendRefusedCall(holder.socketPath, { run, refused: call }, machine.clock),
    ),
  );
}

interface Owner {
  readonly run: string;
  readonly holder: LeaseHolder;
}

/** Who carries out the run that environments tell of, in this project or another that is known. */
function knownOwner(machine: Machine, { run }: AgentAbove): Owner | undefined {
  if (run === undefined) return undefined;
  for (const each of knownMachines(machine).machines) {
    const owner = each.store.list().includes(run) ? ownerOf(each, run) : undefined;
    if (owner !== undefined) return owner;
  }
  return undefined;
}

/** Where only the mark is left: the runs of this project whose owner has given such marks. */
function possibleOwners(machine: Machine, family: string): readonly Owner[] {
  const mark = fromShownMark(family);
  if (mark === undefined) return [];
  return machine.store
    .list()
    .slice(0, MAX_SEARCHED_RUNS)
    .map((run) => ownerOf(machine, run))
    .filter((owner) => owner !== undefined)
    .filter(({ holder: { pid, pidStartedAt: startedAt, bootId } }) => {
      return ownerNumber({ pid, startedAt, bootId }) === ownerOfMark(mark);
    });
}

function ownerOf({ store, isGone }: Machine, run: string): Owner | undefined {
  try {
    const journal = store.open(run, "read");
    try {
      const holder = journal.foreign() === undefined ? journal.leaseHolder() : undefined;
      return holder === undefined || isGone(holder) ? undefined : { run, holder };
    } finally {
      journal.close();
    }
  } catch (error) {
    // One run that is damaged or being removed must not hide the others.
    if (error instanceof TroupeError) return undefined;
    throw error;
  }
}
