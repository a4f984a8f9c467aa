// How much more a durable run costs that is ten times as long: the most of time, memory and bytes.
import { measureGrowth, type RunCosts } from "../../growth.ts";

const [, , kind = "loop", count = "1000"] = process.argv;
const { few, many, times } = measureGrowth(kind, Number(count));
const tell = ({ ms, mb, bytes }: RunCosts) =>
  `${Math.round(ms)} ms, ${Math.round(mb)} MB, ${Math.round(bytes / 1000)} kB`;
const figure = Math.max(times.ms, times.mb, times.bytes);
process.stdout.write(`${JSON.stringify({ figure, detail: `${tell(few)}; ${tell(many)}` })}\n`);
