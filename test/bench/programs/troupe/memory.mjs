// Resident memory after importing the built library, in MB.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

await import(pathToFileURL(join(process.env.TROUPE_BENCH_PACKAGE, "dist/index.js")).href);
console.log(JSON.stringify({ figure: process.memoryUsage.rss() / 2 ** 20 }));
