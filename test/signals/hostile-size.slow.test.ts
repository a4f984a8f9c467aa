import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("10 MB of hostile text of any kind is read in under a second [SIG-7]", () => {
  const units = {
    signals: "DONE:\n",
    "refused signals": "VOTE: maybe\n",
    "line feeds": "\n",
    backticks: "`",
    fences: "~~~\n",
    "list markers": "- ",
    "open tags": "DONE [confidence=",
    quotes: "> \r",
    "near misses of a marker": "MARK                    x\n",
  };
  const program = fileURLToPath(new URL("./hostile-size-program.ts", import.meta.url));
  const argv = [program, ...Object.values(units).map((unit) => JSON.stringify(unit))];
  const printed = execFileSync(process.execPath, argv, { encoding: "utf8" });
  const figures: unknown = JSON.parse(printed);
  const slow = Object.keys(units).filter(
    (_, index) => !(Array.isArray(figures) && figures[index] < 1000),
  );
  expect(slow, printed).toEqual([]);
});
