// Makes the file that users install, with a fresh build however npm is set: `npm run pack -- DIRECTORY`.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = join(import.meta.dirname, "..");
const destination = resolve(process.env["INIT_CWD"] ?? root, process.argv[2] ?? ".");
mkdirSync(destination, { recursive: true });
npm(["run", "--silent", "build"]);
// npm runs `prepack` only where it may run scripts; here it is done.
const options = ["--ignore-scripts", "--json", "--pack-destination", destination];
const [packed]: readonly {
  readonly filename: string;
  readonly files: readonly { path: string }[];
}[] = JSON.parse(npm(["pack", ...options]));
if (packed === undefined) throw new Error("npm has packed nothing");
assertWhole(new Set(packed.files.map(({ path }) => path)));
process.stdout.write(`${join(destination, packed.filename)}\n`);

function npm(args: readonly string[]): string {
  const stdio = ["ignore", "pipe", "inherit"] as const;
  return execFileSync("npm", args, { cwd: root, encoding: "utf8", stdio: [...stdio] });
}

/** All that package.json promises is there. */
function assertWhole(files: ReadonlySet<string>): void {
  const { bin, exports: entries } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const promised = JSON.stringify([bin, entries, "./dist/command/main.cjs"]).matchAll(
    /"(?:\.\/)?([^"]+\.\w+)"/g,
  );
  const missing = [...promised].map(([, path = ""]) => path).filter((path) => !files.has(path));
  if (missing.length > 0) throw new Error(`the package lacks ${missing.join(", ")}`);
}
