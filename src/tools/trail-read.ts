import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { READS } from "./parts/annotations.ts";

/** Reads marks. */
export const trailRead = defineTool({
  name: "trail_read",
  title: "Read marks",
  description:
    "Read the marks that agents of this run have left for each other, as strong as they are now: with `key` the one there (0 if there is none), else all, the strongest first, with who left something there last.",
  annotations: READS,
  needs: "trails",
  input: z.strictObject({
    key: z.string().min(1).exactOptional().describe("Where; all when absent"),
    namespace: z.string().min(1).exactOptional().describe("Another place than the usual one"),
  }),
  call: async ({ key, namespace }, context) => {
    const { value, marks } = await context.readTrail({ namespace, key });
    if (key !== undefined) return { key, value };
    return {
      marks: marks.map(({ key: at, value: is, lastUpdatedBy }) => ({
        key: at,
        value: is,
        lastUpdatedBy,
      })),
    };
  },
});
