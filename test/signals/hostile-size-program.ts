import { readSignals } from "../../src/signals/read-signals.ts";
import { processorMs } from "../testing/processor-time.ts";

// Reads 10 MB of each unit given as arguments and prints the milliseconds of processor time: in a process of
// its own, because a test runner makes every call between modules slower than it is.
const size = 10 * 1024 * 1024;
const units = process.argv.slice(2).map((unit): unknown => JSON.parse(unit));
const figures = units.map((unit) => {
  const text = String(unit).repeat(size / String(unit).length);
  return processorMs(1000, () => readSignals(text, { markers: ["MARK"] }));
});
process.stdout.write(JSON.stringify(figures));
