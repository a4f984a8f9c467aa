import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  SHADOW_TRIGGERS,
  type ShadowBinding,
  type ShadowTrigger,
} from "../../../src/contracts/shadow.ts";
import {
  decideShadowing,
  type ObservedMessage,
  requestsReview,
} from "../../../src/messaging/shadows/decide-shadowing.ts";

const OUT = { copy: { of: "dev", direction: "outgoing" } };
const IN = { copy: { of: "dev", direction: "incoming" } };
const ASK = "EXPLICIT_ASK";
const ALL = "ALL_MESSAGES";
const REVIEW = "REVIEW_REQUEST";

const fromDev: Partial<ObservedMessage> = { from: "dev" };
const toDev: Partial<ObservedMessage> = { from: "lead", recipients: ["Dev"] };
const asked: Partial<ObservedMessage> = { from: "lead", recipients: ["eye"] };
const review: Partial<ObservedMessage> = { from: "dev", requestsReview: true };
const byShadow = { from: "other-eye", isFromShadow: true };

function decide(
  binding: Partial<ShadowBinding>,
  message: Partial<ObservedMessage>,
): ReturnType<typeof decideShadowing> {
  const whole: ShadowBinding = {
    ...{ of: "dev", receiveIncoming: true, receiveOutgoing: true, speakOn: [] },
    ...binding,
  };
  return decideShadowing(
    { id: "eye", binding: whole },
    { from: "lead", isFromShadow: false, recipients: [], requestsReview: false, ...message },
  );
}

interface Case {
  readonly what: string;
  readonly binding?: Partial<ShadowBinding>;
  readonly message: Partial<ObservedMessage>;
  readonly expected: object;
}

describe("which messages are copied [MSG-10]", () => {
  const noIn = { receiveIncoming: false };
  const noOut = { receiveOutgoing: false };
  test.each<Case>([
    { what: "what the watched agent writes", message: fromDev, expected: OUT },
    { what: "what lands in its inbox, in any case", message: toDev, expected: IN },
    {
      what: "what lands in its inbox and in others",
      message: { from: "lead", recipients: ["web", "dev"] },
      expected: IN,
    },
    { what: "nothing that is between others", message: { recipients: ["lead"] }, expected: {} },
    { what: "nothing incoming without it", binding: noIn, message: toDev, expected: {} },
    { what: "outgoing still", binding: noIn, message: fromDev, expected: OUT },
    { what: "nothing outgoing without it", binding: noOut, message: fromDev, expected: {} },
    { what: "incoming still", binding: noOut, message: toDev, expected: IN },
    {
      what: "nothing that the shadow itself wrote",
      message: { from: "eye", recipients: ["dev"] },
      expected: {},
    },
    {
      what: "nothing that reaches it anyway",
      message: { from: "dev", recipients: ["eye", "lead"] },
      expected: {},
    },
    {
      what: "what another shadow writes to the agent",
      message: { ...byShadow, recipients: ["dev"] },
      expected: IN,
    },
  ])("$what", ({ binding = {}, message, expected }) => {
    expect(decide(binding, message)).toEqual(expected);
  });
});

describe("on which messages a shadow may speak [MSG-10]", () => {
  const on = (...speakOn: readonly ShadowTrigger[]) => ({ speakOn });
  const deaf = { receiveIncoming: false, receiveOutgoing: false };
  test.each<Case>([
    { what: "any copy", binding: on(ALL), message: toDev, expected: { ...IN, trigger: ALL } },
    { what: "any question", binding: on(ALL), message: asked, expected: { trigger: ALL } },
    {
      what: "no message that it does not get",
      binding: { ...on(ALL), ...deaf },
      message: fromDev,
      expected: {},
    },
    { what: "a question, if it may", binding: on(ASK), message: asked, expected: { trigger: ASK } },
    { what: "no question, if it may not", binding: on(REVIEW), message: asked, expected: {} },
    { what: "no copy, for questions only", binding: on(ASK), message: fromDev, expected: OUT },
    {
      what: "a person, always",
      binding: on("SESSION_END"),
      message: { from: "user", recipients: ["eye"] },
      expected: { trigger: ASK },
    },
    {
      what: "a request for a review",
      binding: on(REVIEW),
      message: review,
      expected: { ...OUT, trigger: REVIEW },
    },
    {
      what: "a request for a review that it would not get otherwise",
      binding: { ...on(REVIEW), ...deaf },
      message: review,
      expected: { ...OUT, trigger: REVIEW },
    },
    {
      what: "no request for a review of somebody else",
      binding: on(REVIEW),
      message: { from: "lead", recipients: ["dev"], requestsReview: true },
      expected: IN,
    },
    {
      what: "what Troupe tells it",
      binding: on("CODE_WRITTEN"),
      message: { from: "system", recipients: ["eye"], notice: "CODE_WRITTEN" },
      expected: { trigger: "CODE_WRITTEN" },
    },
    {
      what: "no other shadow's copy",
      binding: on(ALL),
      message: { ...byShadow, recipients: ["dev"] },
      expected: IN,
    },
    {
      what: "no other shadow's question",
      binding: on(ALL, ASK),
      message: { ...byShadow, recipients: ["eye"] },
      expected: {},
    },
  ])("$what", ({ binding = {}, message, expected }) => {
    expect(decide(binding, message)).toEqual(expected);
  });
});

test("whatever a message is: no shadow answers itself or another one, and who may speak has the message [MSG-10]", () => {
  const name = fc.constantFrom("dev", "eye", "lead", "other-eye", "user", "system");
  const binding = fc.record({
    receiveIncoming: fc.boolean(),
    receiveOutgoing: fc.boolean(),
    speakOn: fc.subarray([...SHADOW_TRIGGERS]),
  });
  const message = fc.record({
    from: name,
    recipients: fc.uniqueArray(name, { maxLength: 3 }),
    requestsReview: fc.boolean(),
  });
  fc.assert(
    fc.property(binding, message, (given, said) => {
      const isFromShadow = said.from.endsWith("eye");
      const { copy, trigger } = decide(given, { ...said, isFromShadow });
      const isAddressed = said.recipients.includes("eye");
      if (isFromShadow) expect(trigger).toBeUndefined();
      if (said.from === "eye") expect(copy).toBeUndefined();
      if (trigger !== undefined) expect(copy !== undefined || isAddressed).toBe(true);
      if (copy !== undefined) expect(isAddressed).toBe(false);
    }),
  );
});

test.each([
  ["REVIEW_REQUEST", true],
  ["Ready.\nREVIEW_REQUEST: src/a.ts", true],
  ["I will send a REVIEW_REQUEST: later", false],
  ["> REVIEW_REQUEST: quoted", false],
  ["```\nREVIEW_REQUEST: x\n```", false],
  ["REVIEW_REQUESTED", false],
  ["DONE: after the REVIEW_REQUEST", false],
])("%j asks for a review: %s [MSG-10]", (text, expected) => {
  expect(requestsReview(text)).toBe(expected);
});
