import { describe, expect, onTestFinished, test } from "vitest";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { type Called, call } from "../../cli/fake-io.ts";
import { startModelServer } from "../../clients/model-server/model-server.ts";
import { askedOf, configureModel } from "./model-of-place.ts";
import { restorePlace } from "./place.ts";
import { SITUATIONS, type Situation, type Stop } from "./situations.ts";
import {
  endsOf,
  factsOf,
  isRecorded,
  parseShown,
  readLedger,
  readTold,
  type Shown,
  withoutIds,
} from "./stopped-run.ts";

// What the troupe of 28 November 2026 left when it was stopped half-way, with its projects, homes, repositories and worktrees:
// record-stopped-program.ts says how.
const all = SITUATIONS.filter(isRecorded).flatMap((situation) =>
  situation.stops.map((stop) => ({ title: `${situation.name}.${stop.name}`, situation, stop })),
);

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
    const again = without(now, whole.ledger);
    const { comeAgain = [], areSpared = [] } = situation;
    const missing = without(whole.ledger, now).map(nameOf);
    expect(missing.filter((name) => !areSpared.includes(name))).toEqual([]);
    const repeated = again.map(nameOf).filter((name) => !comeAgain.includes(name));
    expect(repeated.filter((name) => name !== cutOff(stop))).toEqual([]);
    expect(repeated.length).toBeLessThanOrEqual(1);
    const differing = [cutOff(stop), ...comeAgain, ...areSpared];
    const isCompared = (told: string) => !differing.includes(told.split("\n")[0]);
    expect(readTold(user.place.root).filter(isCompared).toSorted()).toEqual(
      whole.told.map(withoutIds).filter(isCompared).toSorted(),
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

function cutOff({ at }: Stop): string | undefined {
  return at?.split(" ")[0];
}

function nameOf(line: string): string {
  return line.split(" ")[0] ?? "";
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
