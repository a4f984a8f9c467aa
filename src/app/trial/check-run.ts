import { readFileSync, statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { tokensOf } from "../../contracts/usage.ts";
import { resultOutput } from "../../fold/result-output.ts";
import { agentKey } from "../../fold/state/agent-lookup.ts";
import { formatDuration, parseDuration } from "../../foundation/duration.ts";
import { matchNumber, matchText, quoted } from "./match-text.ts";
import {
  askedOf,
  errorCodesOf,
  eventsOf,
  type RunEvidence,
  saidBy,
  signalsOf,
  toldTo,
  turnsGiven,
} from "./run-evidence.ts";
import type { NumberMatch, RunExpectation, TextMatch } from "./test-file-schema.ts";

/** Something that a run is not as it was expected. */
export interface RunDifference {
  /** Keys that lead to it in an expectation. */
  readonly path: readonly (string | number)[];
  readonly expected: string;
  readonly got: string;
}

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Everything in which a run is not as expected; empty when it is. Raises EXPRESSION_REGEX. */
export function checkRun(run: RunEvidence, expected: RunExpectation): readonly RunDifference[] {
  return [
    ...checkEnd(run, expected),
    ...checkSteps(run, expected),
    ...checkAgents(run, expected.agents ?? {}),
    ...checkTalk(run, expected),
    ...checkFiles(run, expected.files ?? {}),
    ...checkUse(run, expected),
  ];
}

type Path = RunDifference["path"];

function checkEnd(run: RunEvidence, expected: RunExpectation): readonly RunDifference[] {
  const { outcome, reason, error, output } = expected;
  const name = run.outcome === "suspended" ? "waiting" : run.outcome;
  const why = run.parting.event.reason;
  const codes = errorCodesOf(run);
  return [
    ...(name === outcome
      ? []
      : [difference(["outcome"], outcome, why === "" ? name : `${name}: ${why}`)]),
    ...textDifference(["reason"], why, reason),
    ...(error === undefined || codes.includes(error)
      ? []
      : [
          difference(
            ["error"],
            error,
            codes.length === 0 ? "no error" : [...new Set(codes)].join(", "),
          ),
        ]),
    ...textDifference(["output"], resultOutput(run.state), output),
  ];
}

function checkSteps(run: RunEvidence, { steps, order }: RunExpectation): readonly RunDifference[] {
  const found = run.state.steps.byPath;
  const differences = Object.entries(steps ?? {}).flatMap(([path, expected]) => {
    const step = found.get(path);
    const place = ["steps", path];
    const { status, output, attempts, error } =
      typeof expected === "string" ? { status: expected } : expected;
    const has = step?.status === "retrying" ? "running" : (step?.status ?? "absent");
    const isShort = typeof expected === "string";
    const code = step?.status === "failed" ? step.error.code : undefined;
    const also = code === undefined ? "" : ` with ${code}`;
    return [
      ...(status === undefined || status === has
        ? []
        : [difference(isShort ? place : [...place, "status"], status, `${has}${also}`)]),
      ...textDifference(
        [...place, "output"],
        step?.status === "completed" ? step.output : "",
        output,
      ),
      ...numberDifference([...place, "attempts"], step?.attempt ?? 0, attempts),
      ...(error === undefined || error === code
        ? []
        : [difference([...place, "error"], error, code ?? has)]),
    ];
  });
  const started = eventsOf(run, "step-started").map(({ path }) => path);
  return [...differences, ...orderDifference(["order"], started, order)];
}

/** The first of a list that does not come after those before it. */
function orderDifference(
  path: Path,
  happened: readonly string[],
  order: readonly string[] = [],
): readonly RunDifference[] {
  let from = 0;
  for (const [index, wanted] of order.entries()) {
    const at = happened.indexOf(wanted, from);
    if (at < 0) {
      const before = order[index - 1];
      const when = before === undefined ? "" : ` after ${before}`;
      return [difference([...path, index], `${wanted}${when}`, happened.join(", ") || "nothing")];
    }
    from = at + 1;
  }
  return [];
}

function checkAgents(
  run: RunEvidence,
  agents: NonNullable<RunExpectation["agents"]>,
): readonly RunDifference[] {
  return Object.entries(agents).flatMap(([id, expected]) => {
    const place = ["agents", id];
    const agent = [...run.state.agents.keys()].find((known) => agentKey(known) === agentKey(id));
    if (agent === undefined) {
      const known = [...run.state.agents.keys()].join(", ");
      return [difference(place, "an agent of the run", known === "" ? "no agents" : known)];
    }
    const [said, told] = [saidBy(run, agent), toldTo(run, agent)];
    const files = eventsOf(run, "file-changed").filter((event) => event.agent === agent);
    const paths = files.map(({ path }) => path);
    return [
      ...numberDifference([...place, "turns"], turnsGiven(run, agent), expected.turns),
      ...someDifference([...place, "said"], said, expected.said),
      ...noneDifference([...place, "neverSaid"], said, expected.neverSaid),
      ...someDifference([...place, "told"], told, expected.told),
      ...noneDifference([...place, "neverTold"], told, expected.neverTold),
      ...listDifference([...place, "signals"], signalsOf(run, agent), expected.signals),
      ...(expected.files ?? []).flatMap((file, index) =>
        paths.includes(file)
          ? []
          : [
              difference(
                [...place, "files", index],
                file,
                [...new Set(paths)].join(", ") || "no files",
              ),
            ],
      ),
    ];
  });
}

function checkTalk(
  run: RunEvidence,
  { messages, asked }: RunExpectation,
): readonly RunDifference[] {
  const posted = eventsOf(run, "message-posted");
  let from = 0;
  const differences: RunDifference[] = [];
  for (const [index, wanted] of (messages ?? []).entries()) {
    const { from: author, to, channel, text } = wanted;
    const at = posted.findIndex(
      (message, place) =>
        place >= from &&
        (author === undefined || message.from === author) &&
        (to === undefined || message.to?.includes(to) === true) &&
        (channel === undefined || message.channel === channel) &&
        (text === undefined || matchText(message.text, text) === undefined),
    );
    if (at < 0) {
      const rest = posted.slice(from).map((message) => `${message.from}: ${quoted(message.text)}`);
      const words = [author ?? "somebody", to === undefined ? "" : ` to ${to}`].join("");
      const what = text === undefined ? "a message" : (matchText("", text) ?? "any text");
      differences.push(
        difference(
          ["messages", index],
          `${words}: ${what}`,
          rest.slice(0, 5).join(", ") || "nothing more",
        ),
      );
      break;
    }
    from = at + 1;
  }
  const questions = askedOf(run);
  (asked ?? []).forEach((wanted, index) => {
    const words = matchText(questions[index] ?? "", wanted);
    if (words !== undefined || questions[index] === undefined)
      differences.push(
        difference(["asked", index], words ?? "a question", quoted(questions[index] ?? "")),
      );
  });
  return differences;
}

function checkFiles(
  run: RunEvidence,
  files: NonNullable<RunExpectation["files"]>,
): readonly RunDifference[] {
  return Object.entries(files).flatMap(([path, expected]) => {
    const place = ["files", path];
    const text = run.files === undefined ? readFile(run.state.run.cwd, path) : run.files.get(path);
    if (expected === null)
      return text === undefined ? [] : [difference(place, "no such file", quoted(text))];
    return text === undefined
      ? [difference(place, matchText("", expected) ?? "a file", "no such file")]
      : textDifference(place, text, expected);
  });
}

/** Undefined where no regular file of a size to compare lies below the directory. */
function readFile(cwd: string, path: string): string | undefined {
  const inside = relative(cwd, join(cwd, path));
  if (isAbsolute(path) || inside.startsWith("..")) return undefined;
  const info = statSync(join(cwd, path), { throwIfNoEntry: false });
  if (info?.isFile() !== true || info.size > MAX_FILE_BYTES) return undefined;
  return readFileSync(join(cwd, path), "utf8");
}

function checkUse(run: RunEvidence, expected: RunExpectation): readonly RunDifference[] {
  const { usage } = run.state;
  const first = run.events[0]?.at ?? 0;
  const took = (run.events.at(-1)?.at ?? first) - first;
  const { atLeast, atMost } = expected.duration ?? {};
  const isShort = atLeast !== undefined && took < parseDuration(atLeast);
  const isLong = atMost !== undefined && took > parseDuration(atMost);
  return [
    ...numberDifference(["turns"], turnsGiven(run), expected.turns),
    ...numberDifference(["costUsd"], usage.costUsd ?? 0, expected.costUsd),
    ...numberDifference(["tokens"], tokensOf(usage) ?? 0, expected.tokens),
    ...(isShort ? [difference(["duration"], `at least ${atLeast}`, formatDuration(took))] : []),
    ...(isLong ? [difference(["duration"], `at most ${atMost}`, formatDuration(took))] : []),
  ];
}

function difference(path: Path, expected: string, got: string): RunDifference {
  return { path, expected, got };
}

function textDifference(path: Path, text: string, match: TextMatch | undefined) {
  const words = match === undefined ? undefined : matchText(text, match);
  return words === undefined ? [] : [difference(path, words, quoted(text))];
}

function numberDifference(path: Path, value: number, match: NumberMatch | undefined) {
  const words = match === undefined ? undefined : matchNumber(value, match);
  return words === undefined ? [] : [difference(path, words, String(value))];
}

function listDifference(path: Path, list: readonly string[], expected?: readonly string[]) {
  const isSame = expected === undefined || expected.join("\n") === list.join("\n");
  return isSame ? [] : [difference(path, expected.join(", "), list.join(", ") || "none")];
}

type Texts = TextMatch | readonly TextMatch[];

function listOf(texts: Texts | undefined): readonly TextMatch[] {
  if (texts === undefined) return [];
  return isList(texts) ? texts : [texts];
}

function isList(texts: Texts): texts is readonly TextMatch[] {
  return Array.isArray(texts);
}

/** Each is to be found in some of the texts. */
function someDifference(path: Path, texts: readonly string[], expected: Texts | undefined) {
  return listOf(expected).flatMap((match, index) => {
    if (texts.some((text) => matchText(text, match) === undefined)) return [];
    const words = matchText("", match) ?? "something";
    const place = Array.isArray(expected) ? [...path, index] : path;
    return [difference(place, words, texts.slice(-3).map(quoted).join(", ") || "nothing")];
  });
}

function noneDifference(path: Path, texts: readonly string[], unwanted: Texts | undefined) {
  return listOf(unwanted).flatMap((match, index) => {
    const found = texts.find((text) => matchText(text, match) === undefined);
    const place = Array.isArray(unwanted) ? [...path, index] : path;
    return found === undefined ? [] : [difference(place, "nothing like that", quoted(found))];
  });
}
