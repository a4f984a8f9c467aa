import { findMentions } from "../../messaging/mentions.ts";
import { ownText } from "../../programs/kickoff/own-text.ts";
import type { CheckContext } from "../checks/check-context.ts";
import { idsOf, textAt } from "../checks/file-view.ts";
import { placeInText } from "../checks/place-in-text.ts";
import { entryOf } from "../source/source-node.ts";
import { nobodyMentioned, unknownMention } from "./errors.ts";
import { sharedParts } from "./shared-parts.ts";

// Looking through more would hold the reader up; whom it mentions is found when it is posted.
const MAX_CHARS = 50_000;

/** Checks whom the kickoff wakes: nobody known is an error if it names somebody, else a warning (KCK-2). */
export function checkMentions(context: CheckContext): void {
  const { view, report } = context;
  const kickoff = textAt(view.root, "kickoff");
  if (kickoff === undefined) return;
  const known = idsOf(view.agents);
  const { channel } = sharedParts(entryOf(view.root, "context")?.node);
  // It is the prompt of the only agent then, whomever it mentions.
  if (!channel && known.length === 1) return;
  const text = ownText(kickoff.text);
  if (text.length > MAX_CHARS) return;
  const found = findMentions(text, { known, sender: "system" });
  const isSomebodyWoken = found.mentions.length > 0;
  const severity = isSomebodyWoken ? "warning" : "error";
  for (const name of found.unknown) {
    const start = kickoff.text.indexOf(`@${name}`);
    const range =
      start < 0
        ? kickoff.node
        : placeInText(kickoff, { start, end: start + name.length + 1 }, context.text);
    report(unknownMention({ name, known }), range, { severity });
  }
  if (!isSomebodyWoken && found.unknown.length === 0)
    report(nobodyMentioned({ known }), kickoff.node, { severity: "warning" });
}
