// Writes the pages of docs/reference that follow from the code. With --check it writes nothing and fails
// when a page is not what it would write.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cassettePage } from "./reference/cassette-page.ts";
import { commandsPage } from "./reference/commands-page.ts";
import { configurationPage } from "./reference/configuration-page.ts";
import { errorsPage } from "./reference/errors-page.ts";
import { eventsPage } from "./reference/events-page.ts";

const root = join(import.meta.dirname, "..");
const pages: readonly (readonly [string, string])[] = [
  ["docs/reference/cassette.md", cassettePage()],
  ["docs/reference/commands.md", await commandsPage()],
  ["docs/reference/configuration.md", configurationPage()],
  ["docs/reference/errors.md", errorsPage()],
  ["docs/reference/events.md", eventsPage()],
];
const isCheck = process.argv.includes("--check");
for (const [file, text] of pages) {
  const path = join(root, file);
  if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
  if (!isCheck) {
    writeFileSync(path, text);
    continue;
  }
  process.stderr.write(`${file} is stale: npm run reference\n`);
  process.exitCode = 1;
}
