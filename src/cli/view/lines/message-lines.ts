import { MAIN_CHANNEL } from "../../../contracts/message.ts";
import type { LineTable } from "../parts/line-table.ts";

/** What agents and people say and write down. */
export const messageLines: LineTable = {
  "message-posted": ({ from, to, channel = MAIN_CHANNEL, text }, { glyphs, excerpt }) => {
    const addressees = to?.map((agent) => `@${excerpt(agent)}`).join(" ");
    const place = channel === MAIN_CHANNEL ? "" : `#${excerpt(channel)}: `;
    const target = addressees === undefined ? place : `${addressees}: `;
    return [{ who: from, what: `${glyphs.arrow} ${target}${excerpt(text)}` }];
  },
  "message-dead": ({ agent, id, attempts }, { glyphs }) => [
    {
      who: agent,
      what: `${glyphs.attention} message ${id} was given up after ${attempts} attempts`,
    },
  ],
  "document-changed": ({ by, document, revision, change }, { glyphs, excerpt }) => {
    const verb = change.kind === "append" ? "added" : "wrote";
    const text = `${document} revision ${revision}, ${verb} ${change.text.length} characters`;
    return [{ who: by, what: `${glyphs.edit} ${excerpt(text)}` }];
  },
};
