import { expect, test } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { commandRun } from "../../src/app/run/commands/command-run.ts";
import type { RunCommand } from "../../src/contracts/events/run-events.ts";
import type { WaitingItem } from "../../src/contracts/run.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { waitingItems } from "../../src/fold/waiting.ts";
import { casesOf } from "../cases.ts";
import { runChild, startChild } from "./child-run.ts";
import { say, seedOf } from "./report.ts";
import { createSandbox, observe, type Sandbox } from "./sandbox.ts";

const RESTARTS = casesOf(50);
const ASKED = 4;

test("an approval, a person's turn, a permission and a mention outlive 50 kills under their ids, and each is decided once [P14, ENG-2, ENG-19]", async () => {
  const random = seedOf("people");
  const sandbox = createSandbox();
  const first = startChild(sandbox, { action: "start-people" });
  while (waiting(sandbox).length < ASKED) await pause(20);
  first.kill("SIGKILL");
  await first.gone;
  const items = waiting(sandbox);
  expect(items.map(({ kind, agent }) => [kind, agent])).toEqual(
    expect.arrayContaining([
      ["approval", undefined],
      ["permission", "bot"],
      ["question", "ann"],
      ["question", "bot"],
    ]),
  );
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    const owner = startChild(sandbox, { action: "resume-people" });
    await owner.owns;
    // Also right at the start, before and while everything is asked again.
    await pause(random() * 15);
    owner.kill("SIGKILL");
    await owner.gone;
    expect(waiting(sandbox)).toEqual(items);
  }
  await decideAll(sandbox, items);
  expect(waiting(sandbox)).toEqual([]);
  const end = await runChild(sandbox, { action: "resume-people" });
  expect(end).toMatchObject({
    exitCode: 0,
    error: undefined,
    result: { metadata: { approved: true, answer: "answer to ann", said: "DONE: pushed" } },
  });
  expectOneDecisionEach(sandbox, items);
  say(`people: ${RESTARTS} kills, ${ASKED} items, one decision each`);
  await sandbox.remove();
});

async function decideAll(sandbox: Sandbox, items: readonly WaitingItem[]): Promise<void> {
  for (const [index, item] of items.entries()) {
    const command = decisionOn(item);
    expect(await decide(sandbox, command)).toMatchObject({ status: "recorded" });
    await expect(decide(sandbox, command)).rejects.toMatchObject({ code: "ENGINE_ITEM_RESOLVED" });
    expect(waiting(sandbox)).toEqual(items.slice(index + 1));
  }
}

function expectOneDecisionEach(sandbox: Sandbox, items: readonly WaitingItem[]): void {
  const { events, ledger, run } = observe(sandbox);
  const decided = events.flatMap((event) => {
    if (event.type === "approval-resolved") return event.approval;
    return event.type === "permission-resolved" || event.type === "question-answered"
      ? event.id
      : [];
  });
  expect(decided.toSorted()).toEqual(items.map(({ id }) => id).toSorted());
  const requested = events.filter(({ type }) => type === "approval-requested");
  expect(requested).toHaveLength(1);
  const messages = events.filter((event) => event.type === "message-posted");
  expect(messages.map(({ from, text }) => [from, text])).toEqual([
    ["bot", "@user is it you?"],
    ["user", "answer to bot"],
  ]);
  expect(ledger.map(({ key }) => key)).toEqual([`${run}/step#1`]);
}

function decisionOn({ id, kind, agent = "" }: WaitingItem): RunCommand {
  if (kind === "approval") return { kind: "resolve-approval", approval: id, decision: "approved" };
  if (kind === "permission") return { kind: "resolve-permission", id, decision: "allowed" };
  return { kind: "answer-question", id, answer: `answer to ${agent}` };
}

function decide(sandbox: Sandbox, command: RunCommand) {
  const env = { ...process.env, TMPDIR: sandbox.temporary };
  return commandRun(createMachineAt({ cwd: sandbox.cwd, env }), "@last", { command });
}

/** What waits, whatever has been cut off, in an order that does not depend on who asked again first. */
function waiting(sandbox: Sandbox): readonly WaitingItem[] {
  const { run = "", events } = observe(sandbox);
  return waitingItems(foldAll(run, events)).toSorted((left, right) =>
    left.id < right.id ? -1 : 1,
  );
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
