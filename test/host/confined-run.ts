import type { Confinement } from "../../src/contracts/host.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { createHost } from "../../src/host/host.ts";

// Runs one confined command and prints its result, for tests that need a process of their own around it: another
// user's, or one with descriptors that it inherited.

interface Order {
  readonly command: string;
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly confine: Confinement;
}

const order: Order = JSON.parse(process.argv[2] ?? "");
const host = createHost({ run: "", clock: systemClock, env: process.env, reaper: false });
const result = await host.run({ ...order, timeoutMs: 30_000 }, new AbortController().signal);
await host.close();
process.stdout.write(result.stdout + result.stderr);
