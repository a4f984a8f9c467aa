// A loop of spawns of /bin/true whose output is read, four at the same time: processes per second.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { countArgument, printWarmFigure, timed } from "../../figure.ts";

const count = countArgument(200);
const AT_ONCE = 4;

await printWarmFigure(async () => {
  let left = count;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      const child = spawn("/bin/true", [], { stdio: ["pipe", "pipe", "pipe"], detached: true });
      child.stdin.end();
      child.stdout.resume();
      child.stderr.resume();
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`exit ${String(code)}`);
    }
  };
  const durationMs = await timed(() => Promise.all(Array.from({ length: AT_ONCE }, work)));
  return (count * 1000) / durationMs;
});
