// Writes assets/report.html, the page that `troupe report` fills with a run, from src/dashboard/client.
// With --check it writes nothing and fails when the file is not what it would write.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vite";
import { DATA_PLACEHOLDER } from "../src/app/history/run-report.ts";

const root = join(import.meta.dirname, "..");
const client = join(root, "src/dashboard/client");
const file = join(root, "assets/report.html");

const page = toPage(await bundle());
if (process.argv.includes("--check")) check();
else {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, page);
}

function check(): void {
  if (existsSync(file) && readFileSync(file, "utf8") === page) return;
  process.stderr.write("assets/report.html is stale: npm run report-page\n");
  process.exitCode = 1;
}

interface Bundle {
  readonly script: string;
  readonly style: string;
}

async function bundle(): Promise<Bundle> {
  const built = await build({
    root: client,
    configFile: false,
    envFile: false,
    publicDir: false,
    logLevel: "error",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      write: false,
      target: "es2024",
      cssTarget: "es2024",
      lib: { entry: "report.tsx", formats: ["iife"], name: "troupeReport" },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((each) =>
    "output" in each ? each.output : [],
  );
  const scripts = outputs.flatMap((each) => (each.type === "chunk" ? [each.code] : []));
  const styles = outputs.flatMap((each) =>
    each.type === "asset" && each.fileName.endsWith(".css") ? [String(each.source)] : [],
  );
  const [script] = scripts;
  const [style] = styles;
  if (script === undefined || style === undefined || outputs.length !== 2)
    throw new Error("the page must be one script and one style sheet");
  return { script: script.trim(), style: style.trim() };
}

// The hash makes browsers ignore 'unsafe-inline' for scripts: nothing but the page's own script runs, whatever
// a journal holds. Old browsers that know no hashes fall back on it.
function toPage({ script, style }: Bundle): string {
  if (/<\/script|<!--/i.test(script) || /<\//.test(style))
    throw new Error("the bundle holds a text that would end its element");
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'unsafe-inline' 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="troupe">
<title>Report of a run</title>
<style>${style}</style>
</head>
<body>
<noscript>This report shows a run with a script of its own, which has to be allowed.</noscript>
<script type="application/json" id="troupe-run">${DATA_PLACEHOLDER}</script>
<script>${script}</script>
</body>
</html>
`;
}
