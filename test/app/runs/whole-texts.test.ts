import { join } from "node:path";
import { expect, test } from "vitest";
import { exportRunToFile } from "../../../src/app/history/export-run.ts";
import { importRunFile } from "../../../src/app/history/import-run.ts";
import { createReport } from "../../../src/app/history/run-report.ts";
import type { Machine } from "../../../src/app/machine/machine.ts";
import { callHooks } from "../../../src/app/run/owner/hooks.ts";
import { followEvents, readEvents } from "../../../src/app/runs/run-events.ts";
import type { EventData, JournalEvent } from "../../../src/contracts/events/event.ts";
import { foldAll } from "../../../src/fold/fold.ts";
import { sha256 } from "../../../src/foundation/hash.ts";
import { readResource } from "../../../src/messaging/message-body.ts";
import { claim, RULES } from "../../../src/testing/journal-case.ts";
import { createFileMachine, recordedRun, writeRun } from "../file-machine.ts";

const RUN = "run_aaaaaa";
const WHOLE = `the beginning ${"and on ".repeat(5000)}the end`;

test("whoever reads a run gets the whole of a long message, also out of an export [MSG-9, P7]", async () => {
  const [from, to] = [createFileMachine(), createFileMachine()];
  await writeRunWithLongMessage(from);
  const path = join(from.root, "run.jsonl.gz");
  await exportRunToFile(from, RUN, { path, isSalvage: false });
  await importRunFile(to, path);
  for (const machine of [from, to]) {
    const posted = readEvents(machine, RUN).find(isLong);
    expect(posted).toMatchObject({ text: WHOLE, body: { sizeBytes: WHOLE.length } });
    expect(await firstFollowed(machine)).toEqual(posted);
    const { html } = await createReport(machine, RUN, { isForSharing: false });
    expect(html).toContain("and on the end");
    const journal = machine.store.open(RUN, "read");
    const source = {
      state: foldAll(RUN, journal.read()),
      textOf: (ref: string) => journal.blob(ref),
    };
    expect(readResource(source, { ref: sha256(WHOLE), offset: 4 }).text).toBe(
      WHOLE.slice(4, 16_004),
    );
    const heard: string[] = [];
    const hooks = { onMessage: (_agent: string, { text }: { text: string }) => heard.push(text) };
    callHooks(hooks, [...journal.read()].filter(isLong), { state: source.state, journal });
    expect(heard).toEqual([WHOLE]);
    journal.close();
  }
});

test("a long message whose text is lost shows its beginning, and reading on says so [MSG-9]", async () => {
  const machine = createFileMachine();
  await writeRunWithLongMessage(machine, {});
  const [posted] = readEvents(machine, RUN).filter(isLong);
  expect(posted).toMatchObject({ text: "the beginning" });
  const source = { state: foldAll(RUN, readEvents(machine, RUN)), textOf: () => undefined };
  expect(() => readResource(source, { ref: sha256(WHOLE) })).toThrowError(
    expect.objectContaining({ code: "MESSAGE_RESOURCE_LOST" }),
  );
});

function isLong(event: JournalEvent): boolean {
  return event.type === "message-posted" && event.body !== undefined;
}

/** A recorded run in which one of its agents posts a long message at last. */
async function writeRunWithLongMessage(
  machine: Machine,
  blobs: { readonly [hash: string]: string } = { [sha256(WHOLE)]: WHOLE },
): Promise<void> {
  const recorded = recordedRun(RUN, 12);
  await writeRun(machine, recorded);
  const journal = machine.store.open(RUN, "write");
  const lease = journal.takeLease(claim({}), RULES);
  const spawned = recorded.events.find((event) => event.type === "agent-spawned");
  const posted: EventData = {
    type: "message-posted",
    id: "01LONG",
    from: spawned?.agent ?? "",
    channel: "main",
    text: "the beginning",
    body: { ref: sha256(WHOLE), sizeBytes: WHOLE.length },
    mentions: [],
    signals: [],
  };
  const seq = journal.lastSeq() + 1;
  const epoch = lease.status === "taken" ? lease.epoch : 0;
  await journal.append({ epoch, events: [{ ...posted, seq, at: 0 }], blobs });
  journal.seal();
  journal.releaseLease(epoch);
  journal.close();
}

async function firstFollowed(machine: Machine): Promise<JournalEvent | undefined> {
  const stop = new AbortController();
  const afterSeq = 12;
  for await (const event of followEvents(machine, RUN, { afterSeq, signal: stop.signal })) {
    stop.abort();
    return event;
  }
  return undefined;
}
