import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../programs/temporary-directory.ts";

const SOURCES = join(import.meta.dirname, "../../src");

/** Opens a log when no file may be opened any more, closes one a moment later, and prints what it saw. */
const SCRIPT = `
import { openSync, closeSync } from "node:fs";
const { openOutputLog } = await import(process.argv[1] + "/host/output-log.ts");
const { createSecretMasker } = await import(process.argv[1] + "/foundation/secret-masker.ts");
const masker = createSecretMasker([]);
const held = [];
const fill = () => { try { for (;;) held.push(openSync("/dev/null")); } catch (error) { return error.code; } };
const seen = [fill()];
const opening = openOutputLog(process.argv[2], { masker, maxBytes: 1000 });
setImmediate(() => { seen.push("waited"); closeSync(held.pop()); });
const log = await opening;
seen.push("opened");
closeSync(held.pop());
log.close();
console.log(seen.join(" "));
`;

test("a log waits for a descriptor when too many files are open, and is opened then", async () => {
  const path = join(temporaryDirectory(), "agent.log");
  const { stdout } = await promisify(execFile)("sh", [
    "-c",
    'ulimit -n 60; exec "$0" --input-type=module -e "$1" "$2" "$3"',
    ...[process.execPath, SCRIPT, SOURCES, path],
  ]);
  expect(stdout.trim()).toBe("EMFILE waited opened");
});
