/** Records a run of this version for test/app/recorded-journal.test.ts: node record-run.ts > dag-run-VERSION.json */
import { foldAll } from "../../../src/fold/fold.ts";
import { sha256 } from "../../../src/foundation/hash.ts";
import { runChild } from "../../crash/child-run.ts";
import { createSandbox, observe } from "../../crash/sandbox.ts";

const sandbox = createSandbox();
const end = await runChild(sandbox, { action: "start" });
if (end.exitCode !== 0) throw new Error(`the run ended with ${end.exitCode}`);
const { run = "", events } = observe(sandbox);
const journal = sandbox.store.open(run, "read");
const { definitionHash } = foldAll(run, events).run;
const definition = withoutPlace(journal.blob(definitionHash) ?? "");
journal.close();
const text = JSON.stringify({ run, definition, events }, null, 1);
const recorded = withoutPlace(text).replaceAll(definitionHash, sha256(definition));
process.stdout.write(`${recorded}\n`);
await sandbox.remove();

/** No path of the machine that recorded it. */
function withoutPlace(content: string): string {
  return content.replaceAll(sandbox.root, "/recorded");
}
