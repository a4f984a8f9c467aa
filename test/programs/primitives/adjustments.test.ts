import { expect, test } from "vitest";
import { readReflection, toAdjustments } from "../../../src/programs/primitives/adjustments.ts";

const fenced = (text: string) => `\`\`\`json\n${text}\n\`\`\``;
const release = { agent: "a", action: "release" } as const;
const adjustments = JSON.stringify({ adjustments: [release] });

test.each([
  ["words alone", "  all is well \n", "all is well"],
  ["words with a fence of other things", fenced('{"a": 1}'), fenced('{"a": 1}')],
  ["adjustments outside of a fence", `see ${adjustments}`, `see ${adjustments}`],
])("%s change nothing [PRM-adjust]", (_what, said, synthesis) => {
  expect(readReflection(said)).toEqual({ synthesis, adjustments: [], faults: [] });
});

test.each([
  ["behind the words", `all is well\n${fenced(adjustments)}`, "all is well"],
  ["before them", `${fenced(adjustments)}\nall is well`, "all is well"],
  ["between them", `one\n${fenced(adjustments)}\n two`, "one\n\ntwo"],
  ["alone", fenced(adjustments), ""],
  [
    "behind code, before more of it",
    `${fenced("{}")}\n${fenced(adjustments)}\n${fenced("[]")}`,
    `${fenced("{}")}\n\n${fenced("[]")}`,
  ],
  ["without the name of its language", `x\n\`\`\`${adjustments}\`\`\``, "x"],
])("the first fence with adjustments says what is to change, %s [PRM-adjust]", (...given) => {
  const [, said, synthesis] = given;
  expect(readReflection(said)).toEqual({ synthesis, adjustments: [release], faults: [] });
});

test.each(['"adjustments"', '{"adjustments": [', '{"adjustments": {}}', '["adjustments"]'])(
  "%s is no list of adjustments, and said to be none [PRM-adjust]",
  (text) => {
    expect(readReflection(`well\n${fenced(text)}`)).toEqual({
      synthesis: "well",
      adjustments: [],
      faults: ["its adjustments are no JSON with a list `adjustments`"],
    });
  },
);

test("each adjustment counts by itself, and each that is none is told, cut short [PRM-adjust]", () => {
  const message = { agent: "b", action: "message", content: "x".repeat(32_768) };
  const entries = [
    release,
    { ...message, content: `${message.content}y` },
    message,
    { ...release, agent: "" },
    { ...release, agent: "a".repeat(201) },
    undefined,
  ];
  const found = toAdjustments({ adjustments: entries });
  expect(found.adjustments).toEqual([release, message]);
  expect(found.faults).toEqual([
    expect.stringMatching(/^no adjustment: \{"agent":"b".{0,190}: /),
    expect.stringMatching(/^no adjustment: \{"agent":"",/),
    expect.stringMatching(/^no adjustment: \{"agent":"aaa.{0,190}: /),
    expect.stringMatching(/^no adjustment: nothing: /),
  ]);
});

test("twenty are carried out, and how many more there are is told [PRM-adjust]", () => {
  const given = (length: number) => ({ adjustments: Array.from({ length }, () => release) });
  expect(toAdjustments(given(20))).toEqual({ adjustments: given(20).adjustments, faults: [] });
  expect(toAdjustments(given(22))).toEqual({
    adjustments: given(20).adjustments,
    faults: ["2 adjustments over the 20 that one may have"],
  });
});
