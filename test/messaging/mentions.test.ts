import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findMentions } from "../../src/messaging/mentions.ts";
import { casesOf } from "../cases.ts";

const participants = { known: ["coder", "Reviewer", "tester-1", "a_b"], sender: "lead" };

function mentionsIn(text: string): readonly string[] {
  return findMentions(text, participants).mentions;
}

describe("mentions", () => {
  test("are found in the order of the text, once each, in any case [MSG-2]", () => {
    expect(findMentions("@reviewer, ask @CODER (@tester-1)! @coder", participants)).toEqual({
      mentions: ["Reviewer", "coder", "tester-1"],
      unknown: [],
      all: false,
      people: false,
    });
  });

  test.each([
    ["at the start", "@coder look"],
    ["alone", "@coder"],
    ["behind a bracket", "(@coder)"],
    ["behind a full stop", "Fine.@coder look"],
    ["before a full stop", "ask @coder."],
    ["before an apostrophe", "@coder's part"],
    ["before a hyphen", "@coder-please"],
    ["behind another mention", "@nobody/@coder"],
    ["before a URL in the same word", "@coder:https://x.y"],
    ["behind a slash, before a full stop", "nobody/@coder."],
    ["as the last of 20,000 words", `${"@x ".repeat(19_999)}@coder`],
    ["as the last of 20,000 in one word", `${"@x,".repeat(19_999)}@coder`],
    ["behind inline code", "`x`@coder"],
    ["behind a lonely backtick", "a ` b @coder"],
    ["in a quote", "> @coder"],
    ["in emphasis", "**@coder**"],
    ["in a text without spaces", "请@coder看一下"],
    ["after a fence", "```\nx\n```\n@coder"],
    ["after a URL", "https://x.y/z @coder"],
    ["after backticks of two paragraphs", "a ` b\n\n@coder ` c"],
  ])("count %s [MSG-2]", (_where, text) => {
    expect(mentionsIn(text)).toEqual(["coder"]);
  });

  test.each([
    ["an e-mail address", "bob@coder.org, first.last@coder.org, x_1@coder"],
    ["a URL", "https://x.y/@coder http://me@coder/ (https://x/?q=@coder)"],
    [
      "a URL without scheme",
      "www.x.y/@coder medium.com/@coder www.x.y/?ask=@coder (www.x.y?@coder)",
    ],
    ["a path", "./@coder a.b/@coder"],
    ["more words than are read", `${"@x ".repeat(20_000)}@coder`],
    ["more of one word than is read", `${"@x,".repeat(20_000)}@coder`],
    ["inline code", "`@coder` ``a ` @coder``"],
    ["inline code over two lines", "`a\n@coder`"],
    ["fenced code", "```js\n@coder\n```\n~~~\n@coder\n~~~"],
    ["a fence that nobody closes", "```\n@coder"],
    ["a comment of HTML", "<!--\n@coder\n-->"],
    ["code of HTML", "<pre>\n@coder\n</pre>"],
    ["a longer name", "@coders @coder_x @coder2"],
    ["a name that does not start with a letter", "@ coder @-coder @1"],
  ])("do not count in %s [MSG-2]", (_where, text) => {
    expect(mentionsIn(text)).toEqual([]);
  });

  test("the longest known name wins [MSG-2]", () => {
    const known = ["coder", "coder-please", "coder-please-2"];
    const find = (text: string) => findMentions(text, { known, sender: "x" }).mentions;
    expect(find("@coder-please now")).toEqual(["coder-please"]);
    expect(find("@coder-please-3")).toEqual(["coder-please"]);
    expect(find("@coder-pleas")).toEqual(["coder"]);
  });

  test("@all is everyone but the sender [MSG-2]", () => {
    expect(findMentions("@tester-1 and @ALL", { ...participants, sender: "CODER" })).toEqual({
      mentions: ["Reviewer", "tester-1", "a_b"],
      unknown: [],
      all: true,
      people: false,
    });
  });

  test("an agent called all-hands is not @all", () => {
    const found = findMentions("@all-hands", { known: ["all-hands", "x"], sender: "x" });
    expect(found).toMatchObject({ mentions: ["all-hands"], all: false });
  });

  test("mentioning oneself notifies nobody and is not unknown [MSG-2]", () => {
    expect(findMentions("I, @coder", { ...participants, sender: "coder" })).toEqual({
      mentions: [],
      unknown: [],
      all: false,
      people: false,
    });
  });

  test("@user and @human ask people, not agents", () => {
    for (const text of ["@user which one?", "ask @Human"])
      expect(findMentions(text, participants)).toEqual({
        mentions: [],
        unknown: [],
        all: false,
        people: true,
      });
  });

  test.each([
    ["a quoted line", "> @user which one?\nno idea"],
    ["a quote in a quote", "  >> @user"],
    ["a quoted line beside another mention", "> @user said\n@coder look"],
    ["fenced code", "```\n@user\n```"],
    ["inline code", "the mention `@user` asks"],
    ["an e-mail address", "mail me@user.org"],
    ["a longer name", "@users"],
  ])("%s asks nobody [MSG-2, T4]", (_where, text) => {
    expect(findMentions(text, participants).people).toBe(false);
  });

  test("who quotes and asks does ask", () => {
    expect(findMentions("> @user said\n\n@user: right?", participants).people).toBe(true);
  });

  test("unknown names are told apart, once each and at most twenty; packages are none [MSG-2]", () => {
    const { unknown } = findMentions(
      "@ghost, @Ghost--, @no-body-- and @system: @types/node, @coder",
      participants,
    );
    expect(unknown).toEqual(["ghost", "no-body", "system"]);
    const many = Array.from({ length: 50 }, (_, index) => `@x${index}`).join(" ");
    expect(findMentions(many, participants).unknown.length).toBe(20);
    expect(findMentions(`@${"x".repeat(500)}`, participants).unknown).toEqual(["x".repeat(64)]);
  });

  test("no text makes the search throw, and it finds only known names [P15]", () => {
    const piece = fc.constantFrom(
      "@",
      "coder",
      "-",
      "`",
      "``",
      "```",
      "\n",
      " ",
      "://",
      ".",
      "a",
      "@all",
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: "binary" })), (given) => {
        for (const id of mentionsIn(given)) expect(participants.known).toContain(id);
      }),
      { numRuns: casesOf(2000, 10) },
    );
  });
});
