/** A line that says what failed. */
export interface FailureLine {
  /** Index of the line among those given. */
  readonly at: number;
  /** 0 for the best; lines of one rank are equal. */
  readonly rank: number;
  /** The line in one sentence, with the name of the test and what the lines below it add. */
  readonly text: string;
}

// No pattern looks at more of a line, so that one endless line costs as little as a short one.
const MOST_CHARS = 1000;
const NAME_DISTANCE = 12;
const DETAIL_DISTANCE = 12;

/** Lines that are never the cause: counters, stacks, rules, warnings and what tools add to the failure of others. */
const NOISE: readonly RegExp[] = [
  /^[^\p{L}\p{N}]*$/u,
  /^(?:#|ℹ) (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms)\b/u,
  /^(?:duration_ms|type|location|failureType|code|stack|name|operator|expected|actual|diff): /u,
  /^error: (?:[|>]-?$|['"])/u,
  /^at (?:\S+ )*\(?(?:\S+:\d+|native|<anonymous>|node:)/u,
  /^at [\w$.<>/[\] ]+\(.*\)$/u,
  /^\.\.\. \d+ (?:more|common frames)/u,
  /^File ".*", line \d+(?:, in .*)?$/u,
  /^Traceback \(most recent call last\):?$/u,
  /^(?:During handling of the above exception|The above exception was the direct cause)/u,
  /^goroutine \d+ \[/u,
  /^(?:stack backtrace:|note: |= note|= help|help: |hint: |info: |\[INFO\]|INFO\b)/u,
  /^\[?(?:warn|warning)s?\]?\b/iu,
  /^\S+?[:(]\d+(?:[:,]\d+)?\)?:? +(?:- )?(?:warning|note|info)\b/iu,
  /^\d+:\d+ +warning\b/u,
  /: (?:warning|note): /u,
  /^\(node:\d+\)|^\(Use `node --trace/u,
  /^npm (?:error|ERR!)(?: (?:code|path|errno|syscall|command|signal|cwd|dest|A complete log|Lifecycle script|workspace|location|in workspace)\b.*)?$/u,
  /^npm (?:warn|WARN|notice)\b/u,
  /could not compile|(?:Entering|Leaving) directory|Process completed with exit code|ELIFECYCLE|^In file included from|^error Command failed with exit code|ld returned \d+ exit status/u,
  /\b(?:no|0) (?:errors?|failed|failures?|problems?|failing)\b(?!.*\b[1-9]\d* (?:errors?|failed|failures?|problems?|failing)\b)/iu,
  /^Node\.js v\d/u,
  /^Aborted\b/u,
  /^[=\-_─━⎯*~·]{3,} .* [=\-_─━⎯*~·]{3,}$/u,
];

/** Beginning of a line that a logger wrote: a time, or a level in capitals with the name of the logger. */
const LOGGED =
  /^(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ,]\d\d:\d\d(?::\d\d)?\S*|\[?\d\d:\d\d:\d\d\S*|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL):[\w.]*:|\{"(?:level|time|ts|timestamp|severity)"|time=|level=)/u;
const GRAVE_LEVEL = /\b(?:CRITICAL|FATAL|PANIC|EMERG)\b/iu;
const BAD_LEVEL = /\b(?:ERROR|ERR|SEVERE)\b/iu;

/** Lines that name the test or group that the lines below them are about. */
const NAMES: readonly RegExp[] = [
  /^_{3,} (.+?) _{3,}$/u,
  /^(?:❯ )?FAIL +(\S.* > .+)$/u,
  /^(?:FAIL|ERROR): (.+)$/u,
  /^--- FAIL: (.+?)(?: \([\d.]+s\))?$/u,
  /^[✖✗✘×●] (?:\[fail\]: )?(?!\d+ problem)(?!failing tests)(.+?)(?: \([\d.]+m?s\))?$/u,
  /^---- (.+?) (?:stdout|stderr) ----$/u,
  /^(?:not ok \d+ - )(.+)$/u,
  /^\d+\) (.+)$/u,
];

const SOURCE_LINE =
  /^(?:vet: )?(?:\S*[^\s:(]\.\w+|\.{0,2}\/[^\s:]+|[Mm]akefile\w*)(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)|:\[\d+,\d+\]): ?(?:- )?\S|^\S+\.\w+:\d+:\d+ (?:- )?[\w]/u;
const LOOSE_SOURCE = /^\S+: line \d+: \S|^[^#\s].* at \S+ line \d+(?:\.$|, |\.? )/u;
const THROWN =
  /^(?:Uncaught )?(?:Exception in thread ".*?" )?(?:[A-Za-z_$][\w$.]*)?(?:Error|Exception|Interrupt|Failure|Fault|Warning as error)(?: \[\w+\])?(?:: ?\S|:?$)/u;
const CHAIN = /^(?:During handling of the above|The above exception was the direct)/u;

interface Class {
  readonly rank: number;
  readonly patterns: readonly RegExp[];
}

/** Ranks leave room for lines with the name of a test before all of them, at 0 to 3. */
const ASSERTED = 10;
const THREW = 11;
const LOCATED = 13;
const LOGGED_RANK = 30;

const CLASSES: readonly Class[] = [
  { rank: ASSERTED, patterns: [/^E {2,}\S/u] },
  { rank: THREW, patterns: [THROWN] },
  {
    rank: 12,
    patterns: [
      /panicked at|^panic: |^fatal(?: error)?: |^FATAL\b|[Aa]ssertion .*failed|^assert(?:ion)? failed|^Segmentation fault|^CONFLICT \(|^! \[(?:remote )?rejected\]|^expect\(.*\)\.|^Failed asserting|^AssertionError\b|^Failure\/Error: |^Difference \(|^Expected: /u,
    ],
  },
  {
    rank: LOCATED,
    patterns: [
      SOURCE_LINE,
      LOOSE_SOURCE,
      /^\d+:\d+ +error\b/u,
      /^--> \S+:\d+/u,
      /undefined reference to/u,
    ],
  },
  {
    rank: 14,
    patterns: [
      /(?:^|[\s\]:])(?:fatal )?error(?:\[\w+\])?: ?\S?/iu,
      /^ERROR in /u,
      /^\[error\] /iu,
      /^npm (?:error|ERR!) /u,
      /(?:command )?not found\b|No such file or directory|Permission denied|[Cc]annot (?:find|open|read|access|load|stat)|Can't (?:locate|resolve|open)/u,
      /^Error response from daemon|^curl: \(\d+\)|^E: |^\* What went wrong:|^"message": "/u,
      /^(?:Unused|Unlisted|Unresolved|Duplicate) .*\(\d+\)$/u,
    ],
  },
  { rank: 15, patterns: [/^[×✕✗✘●] /u] },
  { rank: 16, patterns: [/^✖ |^not ok /u] },
  { rank: 17, patterns: [/^(?:--- )?FAIL(?:ED)?\b|^FAILURE\b/u] },
  { rank: 18, patterns: [/^# +Failed test|^\d+\) /u] },
  {
    rank: 19,
    patterns: [/\b[1-9]\d* (?:\w+ )?(?:failed|failures?|failing|errors?|problems?)\b/u],
  },
  { rank: 20, patterns: [/^make(?:\[\d+\])?: \*\*\*/u] },
];

/** All lines of one stream that say what failed, in their order. */
export function findFailures(lines: readonly string[]): readonly FailureLine[] {
  const found: FailureLine[] = [];
  const walk: Walk = { lines, name: undefined, file: undefined };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lineAt(lines, at);
    walk.name = nameFrom(lines, at) ?? walk.name;
    if (/^(?:\/|\.{0,2}\/|[A-Za-z]:\\)\S+\.\w+$/u.test(line)) walk.file = line;
    const rank = rankOf(line, lines, at);
    if (rank !== undefined) found.push(describe(walk, at, rank));
  }
  return withoutEarlierExceptions(found, lines);
}

/** Whether a line never explains a failure. */
export function isNoise(line: string): boolean {
  const start = line.slice(0, MOST_CHARS).trim();
  return NOISE.some((pattern) => pattern.test(start));
}

interface Name {
  readonly at: number;
  readonly text: string;
}

interface Walk {
  readonly lines: readonly string[];
  /** The last test or group that was named. */
  name: Name | undefined;
  /** The last line that was nothing but a path, as eslint prints before its findings. */
  file: string | undefined;
}

function lineAt(lines: readonly string[], at: number): string {
  const start = (lines[at] ?? "").slice(0, MOST_CHARS).trim();
  // Builders of containers and task runners number what programs inside of them print.
  return start.replace(/^#\d+ [\d.]+ +/u, "").replace(/^[│┃|] +/u, "");
}

function rankOf(line: string, lines: readonly string[], at: number): number | undefined {
  if (LOGGED.test(line)) return loggedRank(line);
  if (NOISE.some((pattern) => pattern.test(line))) return undefined;
  const rank = CLASSES.find(({ patterns }) => patterns.some((each) => each.test(line)))?.rank;
  if (rank === THREW && isChained(lines, at)) return undefined;
  return rank === LOCATED && line.startsWith("--> ") && isNoise(lineAt(lines, at - 1))
    ? undefined
    : rank;
}

/** What a program logs is often what it recovered from: below everything, the gravest first. */
function loggedRank(line: string): number | undefined {
  const start = line.slice(0, 100);
  if (GRAVE_LEVEL.test(start)) return LOGGED_RANK;
  return BAD_LEVEL.test(start) ? LOGGED_RANK + 1 : undefined;
}

/** Whether another exception followed while this one was handled: that one ended the program. */
function isChained(lines: readonly string[], at: number): boolean {
  for (let next = at + 1; next <= at + 4 && next < lines.length; next += 1)
    if (CHAIN.test(lineAt(lines, next))) return true;
  return false;
}

function nameFrom(lines: readonly string[], at: number): Name | undefined {
  const line = lineAt(lines, at);
  for (const pattern of NAMES) {
    const text = pattern.exec(line)?.[1]?.trim();
    if (text !== undefined && text !== "") return { at, text: withInner(text, lines, at) };
  }
  return undefined;
}

/** Mocha writes the test below its group, further in and with a colon at its end. */
function withInner(name: string, lines: readonly string[], at: number): string {
  if (!/^\s*\d+\) /u.test(lines[at] ?? "")) return name.replace(/:$/u, "");
  const parts = [name];
  for (let next = at + 1; next <= at + 4 && next < lines.length; next += 1) {
    if (parts.at(-1)?.endsWith(":") === true) break;
    const line = lines[next] ?? "";
    if (line.trim() === "" || indentOf(line) <= indentOf(lines[at] ?? "") + 1) break;
    parts.push(line.trim().slice(0, MOST_CHARS));
  }
  const isGroup = parts.length > 1 && parts.at(-1)?.endsWith(":") === true;
  return (isGroup ? parts.join(" ") : name).replace(/:$/u, "");
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function describe({ lines, name, file }: Walk, at: number, rank: number): FailureLine {
  const line = lineAt(lines, at);
  const text = sentenceOf(lines, { at, line, rank, file });
  const isNamed = rank <= LOCATED && name !== undefined && at - name.at <= NAME_DISTANCE;
  if (!isNamed) return { at, rank, text };
  const isSaid = name.at === at || text.includes(name.text);
  return { at, rank: rank - ASSERTED, text: isSaid ? text : `${name.text}: ${text}` };
}

interface Found {
  readonly at: number;
  readonly line: string;
  readonly rank: number;
  readonly file: string | undefined;
}

function sentenceOf(lines: readonly string[], { at, line, rank, file }: Found): string {
  if (rank === ASSERTED) return line.replace(/^E +/u, "");
  if (line.startsWith("--> ")) return `${line.slice(4)}: ${lineAt(lines, at - 1)}`;
  if (/^\d+:\d+ +error\b/u.test(line) && file !== undefined) return oneSpaced(`${file}:${line}`);
  if (rank === 16 && line.startsWith("not ok ")) return withDetail(line, lines, at);
  if (rank === 18 && line.startsWith("#")) return withGot(line, lines, at);
  const location = /^--> (\S+)/u.exec(lineAt(lines, at + 1))?.[1];
  if (location !== undefined) return `${location}: ${line}`;
  // Biome ends the line of the place with a rule.
  const ruled = line.replace(/ *[━─=]{3,}$/u, "");
  if (ruled !== line) return `${ruled}: ${textBelow(lines, at).replace(/^[×✖] /u, "")}`;
  if (/^(?:expect\(|Expected: |Failure\/Error: |Difference \()/u.test(line))
    return withExpected(line, lines, at);
  if (/^● /u.test(line) || /^ERROR in /u.test(line) || /^"message"/u.test(line))
    return joined(line, textBelow(lines, at));
  return line.endsWith(":") || /^(?:Unused|Unlisted|Unresolved|Duplicate) /u.test(line)
    ? joined(line, textBelow(lines, at))
    : oneSpaced(line);
}

function joined(line: string, below: string): string {
  if (below === "") return line;
  return line.endsWith(":") ? `${line} ${below}` : `${line}: ${below}`;
}

/** TAP says below the line of a test what went wrong: `error: '6 == 7'`, or a text in lines of its own. */
function withDetail(line: string, lines: readonly string[], at: number): string {
  for (let next = at + 1; next <= at + DETAIL_DISTANCE && next < lines.length; next += 1) {
    const below = lineAt(lines, next);
    if (/^(?:not )?ok /u.test(below)) break;
    const said = /^(?:error|message): (.*)$/u.exec(below)?.[1];
    if (said === undefined) continue;
    if (!/^[|>]-?$/u.test(said)) return joined(line, said);
    return joined(line, blockText(lines, next));
  }
  return line;
}

/** The first lines of a text in YAML: up to the first one that does not end with a colon. */
function blockText(lines: readonly string[], at: number): string {
  const parts: string[] = [];
  for (let next = at + 1; next <= at + 5 && next < lines.length; next += 1) {
    const line = lineAt(lines, next);
    if (line === "") continue;
    parts.push(line);
    if (!line.endsWith(":")) break;
  }
  return parts.join(" ");
}

/** Perl's tests say below what they got and what they expected. */
function withGot(line: string, lines: readonly string[], at: number): string {
  const parts: string[] = [];
  for (let next = at + 1; next <= at + 4 && next < lines.length; next += 1) {
    const below = lineAt(lines, next);
    if (/^# +(?:got|expected): /u.test(below)) parts.push(oneSpaced(below.slice(1)));
  }
  return parts.length === 0 ? oneSpaced(line) : `${oneSpaced(line)}: ${parts.join(", ")}`;
}

/** Jest, RSpec and AVA write what they expected and got below the line that failed. */
function withExpected(line: string, lines: readonly string[], at: number): string {
  const parts = [line];
  for (let next = at + 1; next <= at + 6 && next < lines.length; next += 1) {
    const below = lineAt(lines, next);
    if (/^(?:(?:Expected|Received|Actual|expected|got)\b.*: |[-+] )/u.test(below))
      parts.push(oneSpaced(below));
  }
  return parts.join(" ");
}

function textBelow(lines: readonly string[], at: number): string {
  for (let next = at + 1; next <= at + 4 && next < lines.length; next += 1) {
    const line = lineAt(lines, next);
    if (/[\p{L}\p{N}]/u.test(line)) return oneSpaced(line);
  }
  return "";
}

function oneSpaced(line: string): string {
  return line.replace(/\s+/gu, " ").trim();
}

/** Of tracebacks that no test is named for, the last one ended the program. */
function withoutEarlierExceptions(
  found: readonly FailureLine[],
  lines: readonly string[],
): readonly FailureLine[] {
  if (!lines.some((line) => line.startsWith("Traceback (most recent call last)"))) return found;
  const last = found.findLast(({ rank }) => rank === THREW);
  return found.map((line) =>
    line.rank === THREW && line !== last ? { ...line, rank: THREW + 0.5 } : line,
  );
}
