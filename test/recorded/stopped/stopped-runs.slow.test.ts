import { readdirSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { type Called, call } from "../../cli/fake-io.ts";
import { startModelServer } from "../../clients/model-server/model-server.ts";
import { askedOf, configureModel } from "./model-of-place.ts";
import { ARCHIVES, restorePlace } from "./place.ts";
import { CHAT, CLIENT_SITUATIONS, SITUATIONS, type Situation } from "./situations.ts";
import {
  endsOf,
  factsOf,
  nameOf,
  parseShown,
  readLedger,
  readTold,
  type Shown,
  withoutIds,
} from "./stopped-run.ts";

// What the troupe of 28 November 2026 left when it was stopped half-way, with its projects, homes, repositories and worktrees:
// record-stopped-program.ts says how.
const all = SITUATIONS.flatMap((situation) =>
  situation.stops.map((stop) => ({ title: `${situation.name}.${stop.name}`, situation, stop })),
);

test("every situation is recorded at each of its stops, and nothing else is kept [P3]", () => {
  const recordings = [...SITUATIONS, CHAT, ...CLIENT_SITUATIONS].flatMap(({ name, stops }) => [
    `${name}.json`,
    ...stops.map((stop) => `${name}.${stop.name}.tar.gz`),
  ]);
  expect(readdirSync(ARCHIVES).toSorted()).toEqual(recordings.toSorted());
});

describe.each(all)("the recorded run $title", ({ title, situation, stop }) => {
  test("is shown as it was then, and goes on to the end of the whole one [P3, ENG-16]", async () => {
    const { whole, stopped } = factsOf(situation);
    const then = stopped[stop.name];
    if (then === undefined) throw new Error("this stop is not recorded");
    const user = await restoredUser(title, situation);
    expect(await user.shown(then.run)).toEqual(then.shown);
    const ledger = readLedger(user.place.root);

    for (const args of situation.decide ?? [])
      expect(await user.type(...args.map((arg) => arg.replace("@run", then.run)))).toMatchObject({
        exitCode: 0,
      });
    const resumed = await user.type("resume", then.run);
    expect(resumed.err).not.toContain("error[");

    expect(endsOf(await user.shown(then.run)), resumed.out + resumed.err).toEqual(whole.ends);
    const now = readLedger(user.place.root);
    expect(now.slice(0, ledger.length)).toEqual(ledger);
    // All that the whole run did, and once more only what was cut off.
    const { again = [], added = [], spared = [] } = stop.differs ?? {};
    const killedIn = stop.at === undefined ? [] : [nameOf(stop.at)];
    const extra = [...killedIn, ...again, ...added].toSorted();
    expect({
      more: without(now, whole.ledger).map(nameOf).toSorted(),
      less: without(whole.ledger, now).map(nameOf),
    }).toEqual({ more: without(extra, spared), less: without(spared, extra) });
    const told = readTold(user.place.root);
    const differing = [...killedIn, ...again, ...spared];
    const isCompared = (text: string) => !differing.includes(text.split("\n")[0] ?? "");
    expect(told.filter(isCompared).toSorted()).toEqual(
      whole.told.map(withoutIds).filter(isCompared).toSorted(),
    );
    const typed = stop.meanwhile?.at(-1);
    expect(told.filter((text) => typed !== undefined && text.includes(typed))).toHaveLength(
      added.length,
    );
    // Versions since then tell a model that it was interrupted.
    expect([...then.asked, ...askedOf(user.model)].map(withoutNotice)).toEqual(whole.asked);
  });
});

/** The user that was recorded, on this machine. */
async function restoredUser(title: string, situation: Situation) {
  const place = restorePlace(title, situation.name);
  onTestFinished(place.release);
  const model = situation.asksModel === true ? await startModelServer() : undefined;
  onTestFinished(() => model?.close());
  if (model !== undefined) configureModel(place, model);
  const env = { ...place.env, ANTHROPIC_API_KEY: "key-of-the-scripted-model" };
  const type = (...args: readonly string[]): Promise<Called> => call(place.project, args, { env });
  const machine = createMachineAt({ cwd: place.project, env: { ...process.env, ...env } });
  /** The runs, the one at the top first. */
  const shown = async (top: string): Promise<readonly Shown[]> => {
    const others = machine.store.list().filter((run) => run !== top);
    const shows = [top, ...others.toSorted()].map((run) => type("show", run, "--json"));
    return (await Promise.all(shows)).map(({ out }) => parseShown(out));
  };
  return { place, model, type, shown };
}

/** A request to a model without the notice that its turn was interrupted. */
function withoutNotice(request: Json): Json {
  return Array.isArray(request)
    ? request.filter((entry) => !JSON.stringify(entry).includes("[troupe] You were interrupted"))
    : request;
}

/** Lines that are left when each of the others is taken away once. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...lines];
  for (const other of others) {
    const index = left.indexOf(other);
    if (index >= 0) left.splice(index, 1);
  }
  return left;
}
