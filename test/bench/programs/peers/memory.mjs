// Resident memory after importing the package that is named, in MB.
import { load, printFigure } from "./load.mjs";

await load(process.argv[2]);
printFigure(process.memoryUsage.rss() / 2 ** 20);
