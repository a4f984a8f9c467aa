import { z } from "zod";
import { isRecord } from "./json.ts";
import { PARSE_ONCE } from "./parse-once.ts";

// Values of one kind have few sets of members with short names; whoever makes up others is checked in the long way.
const MOST_SETS = 64;
const MOST_CHARS = 2048;

/**
 * The same schema for values that leave most of its optional members out: zod takes as long for a member that is not
 * there as for one that is. Made for what journals and definitions hold; it has no JSON Schema.
 */
export function sparseObject<Shape extends z.ZodRawShape>(
  whole: z.ZodObject<Shape>,
): z.ZodType<z.output<z.ZodObject<Shape>>> {
  const members = Object.entries<z.core.$ZodType>(whole.shape);
  const partsByNames = new Map<string, z.ZodType>();
  const partFor = (value: object): z.ZodType => {
    const names = JSON.stringify(Object.keys(value));
    const known = partsByNames.get(names);
    if (known !== undefined) return known;
    if (partsByNames.size === MOST_SETS || names.length > MOST_CHARS) return whole;
    const wanted = members.filter(
      ([name, { _zod: kind }]) => kind.optin !== "optional" || Object.hasOwn(value, name),
    );
    const part = z.object(Object.fromEntries(wanted));
    partsByNames.set(names, part);
    return part;
  };
  return z.unknown().transform((value, context) => {
    const { data, error } = (isRecord(value) ? partFor(value) : whole).safeParse(value, PARSE_ONCE);
    if (error === undefined) {
      assertOutput<Shape>(data);
      return data;
    }
    for (const { path, message } of error.issues)
      context.addIssue({ code: "custom", path, message });
    return z.NEVER;
  });
}

/** Members that are not there are all that a part leaves out. */
function assertOutput<Shape extends z.ZodRawShape>(
  _data: unknown,
): asserts _data is z.output<z.ZodObject<Shape>> {}
