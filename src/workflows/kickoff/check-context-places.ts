import { dirname, join, resolve } from "node:path";
import { scanTemplate } from "../../programs/language/templates/template.ts";
import type { CheckContext } from "../checks/check-context.ts";
import { workflowPathOutside } from "../checks/errors.ts";
import { type LocatedText, textAt } from "../checks/file-view.ts";
import type { LoadOptions } from "../resolve/load-options.ts";
import {
  isInside,
  namesBelow,
  OBEYED_DIRECTORIES,
  realLocation,
} from "../resolve/resolve-paths.ts";
import { wrongValue } from "../schema/errors.ts";
import { entryOf } from "../source/source-node.ts";

/** Stands for the value of a variable; no path holds it. */
const SOME_NAME = "\u0001";

/** Checks that the files of channel and document lie in the project, beside each other. */
export function checkContextPlaces(context: CheckContext): void {
  const { view, options, report } = context;
  const node = entryOf(view.root, "context")?.node;
  const dir = textAt(node, "dir");
  const root = options.projectRoot;
  if (dir !== undefined && leavesProject(dir.text, context))
    report(workflowPathOutside({ place: "context.dir", path: dir.text, root }), dir.node);
  else if (dir !== undefined) checkNotTaken(context, dir);
  const files = ["channel", "document"].map((part) => {
    const file = textAt(entryOf(node, part)?.node, "file");
    if (file !== undefined) checkName(context, part, file);
    return file;
  });
  const [channel, document] = files;
  const [channelName, documentName] = [channel?.text ?? "channel.md", document?.text ?? "notes.md"];
  const second = document ?? channel;
  if (second === undefined || channelName.toLowerCase() !== documentName.toLowerCase()) return;
  const problem = `is the file of the channel and of the document: ${channelName}`;
  report(wrongValue({ place: "context", problem, hint: "give each its own" }), second.node);
}

/** What agents write would configure git, Troupe, editors or agents' programs there. */
function checkNotTaken({ options, report }: CheckContext, dir: LocatedText): void {
  const { parts } = scanTemplate(dir.text, "dollar");
  const path = contextDirectory(
    parts.map((part) => (part.kind === "text" ? part.text : SOME_NAME)).join(""),
    options,
  );
  // The place of the contexts that name none is as good when it is named.
  if (isInside(path, contextsDirectory(options))) return;
  const inTroupe = isInside(path, dirname(contextsDirectory(options)));
  const taken = inTroupe ? ".troupe" : namesBelow(path, options.projectRoot).find(isTaken);
  if (taken === undefined) return;
  const shown = taken.replaceAll(SOME_NAME, "…");
  const problem = `cannot lie in ${shown}: what is there is obeyed by programs`;
  const hint =
    "name a directory of its own, such as notes; or none: .troupe/context is the default";
  report(wrongValue({ place: "context.dir", problem, hint }), dir.node);
}

/** A name begins with a letter or digit, so that only what is put before it can make it a hidden one. */
function isTaken(name: string): boolean {
  return OBEYED_DIRECTORIES.has(name) || (name.startsWith(".") && name.includes(SOME_NAME));
}

/** Variables hold names, never paths: any name shows whether what is around them leads out. */
function leavesProject(dir: string, { options }: CheckContext): boolean {
  const { parts } = scanTemplate(dir, "dollar");
  const sample = parts.map((part) => (part.kind === "text" ? part.text : "name")).join("");
  const [first] = parts;
  const fixed = first?.kind === "text" ? first.text : "";
  const path = contextDirectory(sample, options);
  // What follows the first variable does not exist yet, or is checked when it is made.
  const known = sample === fixed ? path : dirname(contextDirectory(`${fixed}name`, options));
  return (
    !isInside(path, options.projectRoot) ||
    !isInside(realLocation(known), realLocation(options.projectRoot))
  );
}

function checkName({ report }: CheckContext, part: string, file: LocatedText): void {
  const isName = /^[^/\\\p{C}]+$/u.test(file.text) && !/^\.{1,2}$/.test(file.text);
  if (isName) return;
  const problem = `cannot be ${JSON.stringify(file.text)}`;
  const hint = "write the name of a file; context.dir says where it lies";
  report(wrongValue({ place: `context.${part}.file`, problem, hint }), file.node);
}

type Places = Pick<LoadOptions, "projectRoot" | "cwd" | "fileDirectory" | "troupeDirectory">;

/** The absolute directory that `context.dir` names, relative to the workflow file; it may hold variables. */
export function contextDirectory(dir: string, { fileDirectory, cwd, projectRoot }: Places): string {
  return resolve(fileDirectory ?? cwd ?? projectRoot, dir);
}

/** Where the contexts of all workflows lie that name no directory. */
export function contextsDirectory({ troupeDirectory, projectRoot }: Places): string {
  return join(troupeDirectory ?? join(projectRoot, ".troupe"), "context");
}
