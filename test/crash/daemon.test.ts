import { expect, test } from "vitest";
import type { EventData, EventOf, JournalEvent } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import type { Random } from "../../src/foundation/random.ts";
import { casesOf } from "../cases.ts";
import { createDaemonSandbox, type DaemonSandbox, pause } from "./daemon-sandbox.ts";
import { countsOf, say, seedOf } from "./report.ts";
import { sideBySide } from "./side-by-side.ts";

const KILLS = casesOf(200, 8);
const WIDTH = 2;
/** Each team is killed so often: longer journals would only take longer to read. */
const KILLS_OF_A_TEAM = 25;
const MOST_MESSAGES = 3;
const PATIENCE_MS = 300;
const LOOK_MS = 5;

/** Whoever is written to hands the message on while it works, and the others say what they say at the end. */
const TEAM = `
name: team
context:
agents:
  ping: { backend: script, script: [ { do: [ { send: { to: pong, text: "take it" } } ], after: 10ms, say: "handed on" } ] }
  pong: { backend: script, script: [ { after: 10ms, say: "taken, @note" } ] }
  note: { backend: script, script: [ { say: "noted" } ] }
`;

test("a daemon killed at random times loses no message of its runs and delivers none twice [DMN-1, P9, P11, ENG-2]", async () => {
  const random = seedOf("daemon kills");
  const teams = Array.from({ length: Math.ceil(KILLS / KILLS_OF_A_TEAM) }, (_, index) =>
    Math.min(KILLS_OF_A_TEAM, KILLS - index * KILLS_OF_A_TEAM),
  );
  const landings = await sideBySide(teams, WIDTH, (kills) => killTeam(kills, random));
  const all = landings.flat();
  say(`daemon killed: ${all.length} points: ${countsOf(all)}`);
  // A suite whose kills miss proves nothing.
  const during = all.filter((landing) => landing !== "while nothing went on").length;
  expect(during / all.length).toBeGreaterThanOrEqual(0.5);
});

async function killTeam(kills: number, random: Random): Promise<readonly string[]> {
  const sandbox = await createDaemonSandbox(TEAM);
  try {
    return await killAgainAndAgain(sandbox, kills, random);
  } finally {
    await sandbox.remove();
  }
}

async function killAgainAndAgain(
  sandbox: DaemonSandbox,
  kills: number,
  random: Random,
): Promise<readonly string[]> {
  const landings: string[] = [];
  const keys: string[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const pid = await sandbox.carriedOut();
    const before = sandbox.events();
    const events = kill % 2 === 0 ? 6 + random() * 18 : 1 + random() * 6;
    const fresh = Array.from(
      { length: 1 + Math.floor(random() * MOST_MESSAGES) },
      (_, index) => `m-${kill}-${index}`,
    );
    keys.push(...fresh);
    const sent = sendAll(sandbox, fresh, random);
    // Every other one comes after some work, however long that takes here: what never gets on is given up, as it should be.
    if (kill % 2 === 0)
      await expect
        .poll(() => turnsOf(sandbox.events()), { timeout: 30_000, interval: LOOK_MS })
        .toBeGreaterThan(turnsOf(before));
    await sandbox.hasEvents(before.length + Math.floor(events), PATIENCE_MS);
    await pause(random() * 10);
    process.kill(pid, "SIGKILL");
    landings.push(landingOf(sandbox.events()));
    await sent;
  }
  await expectNothingLost(sandbox, keys);
  return landings;
}

function turnsOf(events: readonly JournalEvent[]): number {
  return all(events, "turn-completed").length;
}

async function sendAll(
  sandbox: DaemonSandbox,
  keys: readonly string[],
  random: Random,
): Promise<void> {
  for (const key of keys) {
    await sandbox.send(`@ping ${key}`, key);
    await pause(random() * 20);
  }
}

async function expectNothingLost(sandbox: DaemonSandbox, keys: readonly string[]): Promise<void> {
  await sandbox.carriedOut();
  await expect.poll(() => unread(sandbox.events()), { timeout: 30_000 }).toBe(0);
  await sandbox.stop();
  await expect
    .poll(() => sandbox.events().at(-1), { timeout: 30_000 })
    .toMatchObject({
      type: "run-ended",
      outcome: "completed",
    });
  const events = sandbox.events();
  const posted = all(events, "message-posted");
  const own = posted.filter(({ from }) => from === "user").map(({ key }) => key);
  expect(own.toSorted()).toEqual([...keys].sort());
  expect(all(events, "message-dead")).toEqual([]);
  expectTakenOnce(events);
  // A turn posts one message, also if it was cut off after that and started again.
  for (const agent of ["ping", "pong", "note"]) {
    const turns = all(events, "turn-completed").filter((turn) => turn.agent === agent);
    expect([agent, posted.filter(({ from }) => from === agent).length]).toEqual([
      agent,
      turns.length,
    ]);
  }
}

/** Every message was taken once by everybody whom it was for, by a turn that ended well. */
function expectTakenOnce(events: readonly JournalEvent[]): void {
  const taken = all(events, "turn-completed").flatMap(({ agent, turn }) => {
    const started = all(events, "turn-started");
    const { items } = started.find((each) => each.agent === agent && each.turn === turn) ?? {};
    return (items ?? []).flatMap((item) => (item.kind === "message" ? `${item.id} ${agent}` : []));
  });
  const owed = all(events, "message-posted").flatMap(({ id, to, mentions }) =>
    (to ?? mentions).map((agent) => `${id} ${agent}`),
  );
  expect(taken.toSorted()).toEqual(owed.toSorted());
}

/** How many messages somebody still has to read, or the next owner has to post: it was sent while there was none. */
function unread(events: readonly JournalEvent[]): number {
  const { mailboxes, commands } = foldAll("run_x", events);
  return [...mailboxes.values()].reduce((sum, { items }) => sum + items.size, commands.length);
}

/** What the run was doing when its owner died. */
function landingOf(events: readonly JournalEvent[]): string {
  const started = all(events, "turn-started").length;
  const over = ["turn-completed", "turn-failed", "turn-interrupted"] as const;
  const ended = over.reduce((sum, type) => sum + all(events, type).length, 0);
  if (started > ended) return "during a turn";
  return unread(events) > 0 ? "with a message on its way" : "while nothing went on";
}

function all<Type extends EventData["type"]>(
  events: readonly JournalEvent[],
  type: Type,
): readonly (JournalEvent & EventOf<Type>)[] {
  return events.filter((event): event is JournalEvent & EventOf<Type> => event.type === type);
}
