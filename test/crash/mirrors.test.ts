import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readDocument } from "../../src/messaging/edit-document.ts";
import { parseChannel } from "../messaging/mirrors/parse-channel.ts";
import { crashProgram } from "./crash-program.ts";
import { ownMirroredRun } from "./mirror-owner.ts";
import { seedOf } from "./report.ts";
import { createSandbox, type Sandbox } from "./sandbox.ts";

const KILLS = 12;

test("after kill -9 at any moment the files show what the journal holds, and nothing is taken for a change by hand [MSG-7, P1]", async () => {
  const random = seedOf("mirrors");
  const sandbox = createSandbox();
  const place = { runsDirectory: sandbox.runsDirectory, directory: join(sandbox.cwd, "context") };
  for (let kill = 0; kill < KILLS; kill += 1) {
    await killWhileShowing(place, { rounds: 1 + Math.floor(random() * 20), ms: random() * 3 });
    const driver = ownMirroredRun(place);
    await driver.flushed();
    driver.suspend("interrupted", 130);
    await driver.parted;
    const { messages, documents } = driver.state;
    const texts = parseChannel(readFileSync(join(place.directory, "channel.md"), "utf8"));
    const bodies = messages.recent.map((message) =>
      message.body === undefined ? message.text : fullText(sandbox, message.body.ref),
    );
    expect(texts.map(({ text }) => text)).toEqual(bodies);
    const { text } = readDocument(driver.state);
    expect(readFileSync(join(place.directory, "notes.md"), "utf8")).toBe(text);
    expect([...documents.byName.values()].map(({ by }) => by)).toEqual(["coder"]);
    expect(driver.state.logs.warning).toBe(0);
  }
  await sandbox.remove();
});

function fullText(sandbox: Sandbox, ref: string): string | undefined {
  const journal = sandbox.store.open("run_mirror", "read");
  const text = journal.blob(ref);
  journal.close();
  return text;
}

async function killWhileShowing(
  place: { readonly runsDirectory: string; readonly directory: string },
  after: { readonly rounds: number; readonly ms: number },
): Promise<void> {
  const argv = [crashProgram("mirror-run"), place.runsDirectory, place.directory];
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
  const gone = once(child, "exit");
  const shown = new Promise<string>((resolve) => {
    let rounds = 0;
    child.stdout.on("data", (data) => {
      rounds += String(data).length;
      if (rounds >= after.rounds) resolve("shown");
    });
  });
  expect(await Promise.race([shown, gone.then(() => "gone")])).toBe("shown");
  await new Promise((resolve) => setTimeout(resolve, after.ms));
  child.kill("SIGKILL");
  await gone;
}
