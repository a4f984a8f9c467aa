// Carries out a pipeline of so many function agents in a project of its own: `node chain-program.ts DIRECTORY STAGES`.
import { pipeline } from "../../src/index.ts";

const [directory = "", stages = "1"] = process.argv.slice(2);
const run = pipeline(
  Array.from({ length: Number(stages) }, (_, index) => ({
    name: `stage-${index}`,
    task: "",
    run: () => `result ${index}`,
  })),
  {
    cwd: directory,
    env: { PATH: process.env["PATH"] ?? "", HOME: directory, TROUPE_HOME: directory },
  },
);
const { success } = await run.result;
process.exitCode = success ? 0 : 1;
