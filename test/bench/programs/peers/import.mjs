// Imports the package that is named, and nothing else.
import { load } from "./load.mjs";

await load(process.argv[2]);
