import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Journal } from "../../contracts/ports/store.ts";
import { count } from "../../foundation/count.ts";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { isRecord } from "../../foundation/json.ts";
import { showPid } from "../../foundation/show-pid.ts";
import { readIntact } from "../again/read-intact.ts";
import type { Machine } from "../machine/machine.ts";
import { assertOwnPlace } from "../runs/assert-own-place.ts";
import type { Finding } from "./finding.ts";

/**
 * Checks the stored journal of a run: its chain of hashes, its seal, its origin, its owner and the place it acts in. Changes
 * nothing. Raises RUN_NOT_FOUND and STORE_* errors other than STORE_CORRUPT.
 */
export function examineRun(machine: Machine, run: string): readonly Finding[] {
  let journal: Journal;
  try {
    journal = machine.store.open(run, "read");
  } catch (error) {
    return damaged(machine, run, error);
  }
  try {
    return [
      ...checkEvents(machine, journal),
      checkOwner(machine, journal),
      checkPlace(machine, run),
    ];
  } finally {
    journal.close();
  }
}

/** Opening has compared the journal with its seal; reading follows the chain of hashes. */
function checkEvents(machine: Machine, journal: Journal): readonly Finding[] {
  const { run } = journal;
  try {
    let last: JournalEvent | undefined;
    for (const event of journal.read()) last = event;
    if (last === undefined)
      return [
        {
          subject: "events",
          status: "warning",
          text: "none: the run never began",
          hint: "troupe gc",
        },
      ];
    const foreign = journal.foreign();
    return [
      {
        subject: "events",
        status: "ok",
        text: `1 to ${last.seq} are intact, and none that the seal covers is missing`,
      },
      foreign === undefined
        ? { subject: "origin", status: "ok", text: "sealed with your key" }
        : { subject: "origin", status: "note", text: foreign, hint: `troupe import ${run}` },
    ];
  } catch (error) {
    return damaged(machine, run, error);
  }
}

function damaged(machine: Machine, run: string, error: unknown): readonly Finding[] {
  const { code, message } = toErrorReport(error);
  if (code !== "STORE_CORRUPT") throw error;
  const details = error instanceof TroupeError && isRecord(error.details) ? error.details : {};
  const firstBad = details["firstBadSeq"];
  const intact = intactEvents(machine, run);
  const where = typeof firstBad === "number" ? `, first damaged event: ${firstBad}` : "";
  return [
    {
      ...{ subject: "events", status: "problem", stops: "runs" },
      text: `${message}${where}; ${count(intact, "event")} can be exported`,
      ...(intact === 0
        ? {}
        : { hint: `troupe export ${run} --salvage, or troupe fork ${run} --at ${intact}` }),
    },
  ];
}

function intactEvents(machine: Machine, run: string): number {
  try {
    return readIntact(machine, run).events.length;
  } catch {
    return 0;
  }
}

function checkOwner(machine: Machine, journal: Journal): Finding {
  const subject = "lease";
  const holder = journal.leaseHolder();
  if (holder === undefined) return { subject, status: "ok", text: "free: no process owns the run" };
  const where = machine.whereIs(holder);
  const owner = `pid ${showPid({ pid: holder.pid, where })} (${holder.command})`;
  if (machine.isGone(holder)) {
    const text = `held by ${owner}, which is gone`;
    return { subject, status: "note", text, hint: `troupe resume ${journal.run}` };
  }
  if (where === undefined)
    return { subject, status: "ok", text: `held by ${owner}, which is alive` };
  const text = `held by ${owner}; only its renewals can tell whether it is alive`;
  return { subject, status: "note", text, hint: `troupe resume ${journal.run} waits for it` };
}

function checkPlace(machine: Machine, run: string): Finding {
  try {
    assertOwnPlace(machine, run);
    return { subject: "place", status: "ok", text: machine.project.root };
  } catch (error) {
    const { message, hint } = toErrorReport(error);
    return {
      subject: "place",
      status: "note",
      text: message,
      ...(hint === undefined ? {} : { hint }),
    };
  }
}
