import { expect, test } from "vitest";
import { strideOf } from "../cases.ts";
import { has } from "../machine.ts";
import { crashAndResume, type Kill, type Landing, uninterruptedResult } from "./crash-case.ts";
import { type Calls, countCalls, injecting, type JournalCall } from "./injector.ts";
import { say, sayLandings, seedOf } from "./report.ts";
import { sideBySide } from "./side-by-side.ts";

const WIDTH = 2;
/** More appends than a run makes. */
const MOST_APPENDS = 36;
/** Writes come several to a transaction: the daily suite takes every sixth. */
const WRITE_STRIDE = strideOf(6);

/** Of writes that are all alike so many are taken, in every suite. */
const ALIKE_STRIDE = 97;

/** Syncs from one interrupted resume to the next. */
const TWICE_STRIDE = 3;

const random = seedOf("kill points");
const expected = await uninterruptedResult();
const calls = has("strace") ? await countCalls() : new Map<JournalCall, Calls>();
say(
  has("strace")
    ? `injector: strace; calls of one run: ${[...calls].map(([call, { count, alike }]) => `${call} ${count}, ${alike.size} of them alike`).join("; ")}`
    : "injector: a store that dies at its n-th append, because strace cannot trace here",
);

test.runIf(has("strace"))(
  "a run killed at the system calls that change its journal loses nothing and repeats nothing [ENG-2, P1, P2]",
  async () => {
    for (const [call, made] of calls) {
      const points = pointsOf(call, made);
      const landings = await sideBySide(points, WIDTH, (point) =>
        crash([{ wrapper: injecting(call, "signal=KILL", String(point)) }]),
      );
      sayLandings(`killed at ${call}`, landings);
      // Groups of events differ from run to run, so only the last points may lie beyond the end.
      expect(landings.slice(0, Math.floor(landings.length * 0.75))).not.toContain("never");
    }
  },
);

test.runIf(has("strace"))(
  "a resume that is killed as well is as safe as a run [ENG-2, P1, P2]",
  async () => {
    const syncs = calls.get("fsync")?.count ?? 0;
    const twice = Array.from({ length: Math.ceil(syncs / TWICE_STRIDE) }, (_, index) => [
      {
        wrapper: injecting(
          "fsync",
          "signal=KILL",
          String(12 + Math.floor(random() * (syncs - 16))),
        ),
      },
      { wrapper: injecting("fsync", "signal=KILL", String(1 + index * TWICE_STRIDE)) },
    ]);
    const landings = await sideBySide(twice, WIDTH, crash);
    sayLandings("run and resume killed at fsync", landings);
    expect(landings).toContain("during the run");
  },
);

test("a run killed right before or right after an append loses nothing and repeats nothing [ENG-2, P1, P2]", async () => {
  // Where there is strace, this is a sample that keeps the other injector working.
  const stride = has("strace") ? 7 : 1;
  const kills: Kill[] = [];
  for (let append = 1; append <= MOST_APPENDS; append += stride)
    for (const when of ["before", "after"] as const) kills.push({ dieAt: { when, append } });
  const landings = await sideBySide(kills, WIDTH, (kill) => crash([kill]));
  sayLandings("killed around an append", landings);
  // This one works everywhere, so one of the two injectors has always run.
  expect(landings).toContain("during the run");
});

function pointsOf(call: JournalCall, { count, alike }: Calls): readonly number[] {
  const stride = call === "pwrite64" ? WRITE_STRIDE : 1;
  const offset = Math.floor(random() * stride);
  return Array.from({ length: count }, (_, index) => index + 1).filter((point) =>
    alike.has(point) ? point % ALIKE_STRIDE === offset : point % stride === offset,
  );
}

async function crash(kills: readonly Kill[]): Promise<Landing> {
  try {
    return await crashAndResume(kills, expected);
  } catch (cause) {
    throw new Error(`after ${JSON.stringify(kills)}`, { cause });
  }
}
