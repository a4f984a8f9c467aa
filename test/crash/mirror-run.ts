/** The process that gets killed while it shows a run: says and writes without end, a line per durable round. */
import { writeSync } from "node:fs";
import { editDocument } from "../../src/messaging/edit-document.ts";
import { postMessage } from "../../src/messaging/post-message.ts";
import { ownMirroredRun } from "./mirror-owner.ts";

const [runsDirectory = "", directory = ""] = process.argv.slice(2);
const starter = process.ppid;
const driver = ownMirroredRun({ runsDirectory, directory });

for (let round = 0; process.ppid === starter; round += 1) {
  const key = `${driver.state.epoch}/${round}`;
  const text = `round ${key}\n### 10:00:00 [system]\n${"x".repeat((round * 997) % 20_000)}`;
  postMessage(driver, { from: "user", draft: { text }, key, mainChannel: "main" });
  editDocument(driver, { by: "coder", edit: { kind: "write", text }, key: `${key}/notes` });
  await driver.flushed();
  writeSync(1, ".");
}
