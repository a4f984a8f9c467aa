// Writes what the package exports to etc/, from the built declarations. With --check it only compares.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Extractor, ExtractorConfig } from "@microsoft/api-extractor";

const root = join(import.meta.dirname, "..");
const entries = [
  { declarations: "dist/index.d.ts", report: "etc/api.md" },
  { declarations: "dist/testing/index.d.ts", report: "etc/api-testing.md" },
];
const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });

for (const { declarations, report } of entries) {
  const text = extract(join(root, declarations));
  const path = join(root, report);
  if (!values.check) writeFileSync(path, text);
  else if (readIfThere(path) !== text) {
    process.stderr.write(
      `${relative(root, path)} is out of date: npm run api, then read the diff\n`,
    );
    process.exitCode = 1;
  }
}

function extract(declarations: string): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-api-"));
  try {
    const file = ExtractorConfig.loadFile(join(root, "api-extractor.json"));
    const config = ExtractorConfig.prepare({
      configObject: {
        ...file,
        mainEntryPointFilePath: declarations,
        apiReport: {
          enabled: true,
          reportFileName: "report.api.md",
          reportFolder: folder,
          reportTempFolder: folder,
        },
      },
      configObjectFullPath: join(root, "api-extractor.json"),
      packageJsonFullPath: join(root, "package.json"),
    });
    const { errorCount } = Extractor.invoke(config, { localBuild: true, messageCallback: quieten });
    if (errorCount > 0) process.exitCode = 1;
    return readFileSync(join(folder, "report.api.md"), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Only errors are printed; warnings stand in the report. */
function quieten(message: { logLevel: string; handled: boolean }): void {
  if (message.logLevel !== "error") message.handled = true;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
