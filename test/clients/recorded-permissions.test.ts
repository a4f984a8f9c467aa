import { expect, onTestFinished, test } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { readEvents } from "../../src/app/runs/run-events.ts";
import { takesAll } from "../cases.ts";
import { startTroupe } from "../e2e/troupe-process.ts";
import { askedOf, configureModel } from "../recorded/stopped/model-of-place.ts";
import { restorePlace } from "../recorded/stopped/place.ts";
import { CLIENT_SITUATIONS } from "../recorded/stopped/situations.ts";
import {
  endsOf,
  factsOf,
  nameOf,
  parseShown,
  readLedger,
} from "../recorded/stopped/stopped-run.ts";
import { CLIENT_SETTINGS, SCRIPTED_KEY } from "./client-settings.ts";
import { installedClient } from "./installed-client.ts";
import { startedModel } from "./started-model.ts";

// Runs of the troupe of 28 November 2026 whose agent waits for a permission, with the session files of its program:
// test/recorded/stopped says how they were made.
const all = CLIENT_SITUATIONS.flatMap((situation) =>
  situation.stops.map((stop) => ({ title: `${situation.name}.${stop.name}`, situation, stop })),
);
// Each takes a slow machine a minute: the daily suite tries one of the two stops of each client, `npm run prove` both.
const sample = all.filter((_, index) => takesAll() || [0, 3].includes(index % 4));

// It starts a client anew, on machines that do much else.
const PATIENCE_MS = 300_000;

test.for(sample)(
  "the recorded run $title, approved, goes on to its end: nobody is asked again, and the command is run once [P3, ENG-16, AGT-7.crash]",
  { timeout: PATIENCE_MS },
  async ({ title, situation, stop }, context) => {
    const program = installedClient(situation.client, context);
    const { whole, stopped } = factsOf(situation);
    const then = stopped[stop.name];
    if (then === undefined) throw new Error("this stop is not recorded");
    const place = restorePlace(title, situation.name);
    onTestFinished(place.release);
    const model = await startedModel();
    configureModel(place, model, { name: situation.client, program });
    const { keyVariable } = CLIENT_SETTINGS[situation.client];
    const env = { ...place.env, [keyVariable]: SCRIPTED_KEY };
    const type = (...args: readonly string[]) => startTroupe(place.project, args, env).ended;
    const show = async () => parseShown((await type("show", then.run, "--json")).out);

    expect([await show()]).toEqual(then.shown);
    expect(await type("approve", "--run", then.run)).toMatchObject({ exitCode: 0 });
    expect(await type("resume", then.run)).toMatchObject({ exitCode: 0, err: "" });
    expect(endsOf([await show()])).toEqual(whole.ends);
    const machine = createMachineAt({ cwd: place.project, env: { ...process.env, ...env } });
    const asked = readEvents(machine, then.run).filter(
      ({ type }) => type === "permission-requested",
    );
    expect(asked).toHaveLength(1);
    // What was cut off comes again, the command that was not begun does not.
    const cutOff = stop.at === undefined ? [] : [nameOf(stop.at)];
    expect(readLedger(place.root).map(nameOf).toSorted()).toEqual(
      [...whole.ledger.map(nameOf), ...cutOff].toSorted(),
    );
    // The model is told what the command printed.
    expect(JSON.stringify(askedOf(model))).toContain("allowed is done");
  },
);
