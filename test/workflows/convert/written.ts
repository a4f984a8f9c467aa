import { runInThisContext } from "node:vm";
import { z } from "zod";
import { workflow } from "../../../src/index.ts";
import type { BuiltSteps } from "../../../src/sdk/built-workflow.ts";

const HEAD = /^import \{ workflow \} from "troupe";\n\nexport default /;

const written = z.custom<Pick<BuiltSteps, "toFile" | "build">>(
  (value) => typeof value === "object" && value !== null && "toFile" in value,
);

/** What a printed module exports. */
export function evaluate(text: string): z.infer<typeof written> {
  if (!HEAD.test(text)) throw new Error(`no such module is printed: ${text.slice(0, 80)}`);
  const expression = text.replace(HEAD, "").replace(/;\n$/, "");
  const build: unknown = runInThisContext(`(workflow) => ${expression}`);
  if (typeof build !== "function") throw new Error("the module is no expression");
  return written.parse(build(workflow));
}
