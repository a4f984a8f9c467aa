import { expect, test } from "vitest";
import { findMentions } from "../../../src/messaging/mentions.ts";
import { ownText } from "../../../src/programs/kickoff/own-text.ts";

const TEAM = { known: ["reviewer", "all-hands", "rev"], sender: "system" };

test.each<[string, readonly string[]]>([
  ["look, @reviewer: ${{ diff }}", ["reviewer"]],
  ["look, @rev${{ rest }}iewer", ["rev"]],
  ["look, @${{ who }}reviewer", []],
  ["mail a@${{ host }} or ${{ user }}@reviewer", ["reviewer"]],
  ["${{ all }}", []],
])(
  "what a kickoff says itself is read without its variables, which join no words: %s [KCK-2]",
  (template, mentions) => {
    expect(findMentions(ownText(template), TEAM).mentions).toEqual(mentions);
  },
);
