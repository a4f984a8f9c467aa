import type { EventOf } from "../../../src/contracts/events/event.ts";
import type { PlacedProject, PlacedRun } from "./placed-run.ts";

/** What keeps the work of an agent apart. */
export type Isolation = "none" | "worktree" | "sandbox";

/** A step that says by its end in which directory something of its turn was looked at. */
export interface PlaceRow {
  readonly id: string;
  /** What its agent is given to run; a command agent reads it as its prompt. */
  readonly prompt: string;
  readonly verify?: object;
  readonly agent?: string;
  /** How it ends where the agent's own place counts; in any other place it ends otherwise. */
  readonly ends: string;
}

const FAILED = "STEP_VERIFICATION_FAILED";
const GATE = "STEP_GATE_CHANGED";
const BREACH = "AGENT_CONSTRAINT_BREACHED";
const ECHO = "cat <<'END'\n{{git.diff}}\nEND\n";
const HAS_DIFF = ["sh", "-c", 'printf %s "$1" | grep -q "^+told"', "sh", "{{git.diff}}"];

/** Steps that are done where their agent works; each leaves what the next ones need. */
export const HOLDING: readonly PlaceRow[] = [
  { id: "command", prompt: "echo x > made1", verify: { command: "test -f made1" }, ends: "done" },
  { id: "file", prompt: "echo x > made2", verify: { fileExists: "made2" }, ends: "done" },
  { id: "changed", prompt: "echo x > made3", verify: { gitChanged: true }, ends: "done" },
  { id: "output", prompt: "cat made1", verify: { outputMatches: "^x$" }, ends: "done" },
  {
    id: "tests",
    prompt: "echo told >> a.test.js",
    verify: { command: "true" },
    ends: "done, tests a.test.js",
  },
  {
    id: "diff-in-check",
    prompt: "echo told >> b.txt",
    verify: { command: HAS_DIFF },
    ends: "done",
  },
];

/** Texts of git; step workflows and iterations that have none are without them. */
export const TOLD: readonly PlaceRow[] = [
  { id: "diff", prompt: ECHO, verify: { outputMatches: "(?m)^\\+told" }, ends: "done" },
  { id: "branch", prompt: "echo '{{git.branch}}'", ends: "done" },
  {
    id: "review",
    agent: "reviewer",
    prompt: ECHO,
    verify: { outputMatches: "(?m)^\\+told" },
    ends: "done",
  },
];

/** Steps that fail because of what their agent did where it works. */
export const FAILING: readonly PlaceRow[] = [
  {
    id: "broken",
    prompt: "echo broken > a.txt",
    verify: { command: "grep -q ^a a.txt" },
    ends: FAILED,
  },
  { id: "unchanged", prompt: "echo x > made4", verify: { gitChanged: false }, ends: FAILED },
  {
    id: "script",
    prompt: "echo true > check.sh",
    verify: { command: "sh check.sh" },
    ends: `${GATE}, restored`,
  },
  {
    id: "protected",
    prompt: "echo x >> kept/one.txt",
    verify: { command: "true", protect: ["kept/**"] },
    ends: `${GATE}, restored`,
  },
  { id: "include", agent: "included", prompt: "echo x > beyond.txt", ends: `${BREACH} beyond.txt` },
  { id: "exclude", agent: "excluded", prompt: "echo x > kept/new", ends: `${BREACH} kept/new` },
  { id: "read-only", agent: "reader", prompt: "echo x >> kept/two", ends: `${BREACH} kept/two` },
];

const BOUNDS: { readonly [agent: string]: object } = {
  included: { constraints: { fileScope: { include: ["kept/**"] } } },
  excluded: { constraints: { fileScope: { exclude: ["kept/**"] } } },
  reader: { constraints: { readOnly: ["kept/**"] } },
};

/** Files as every row expects them, in the root and in a directory below. */
export function fill({ write, commit }: PlacedProject): void {
  for (const below of ["", "sub/"]) {
    write(`${below}a.txt`, "a\n");
    write(`${below}b.txt`, "b\n");
    write(`${below}a.test.js`, "1\n");
    write(`${below}check.sh`, "false || test -f check.sh\n");
    write(`${below}kept/one.txt`, "1\n");
    write(`${below}kept/two`, "2\n");
  }
  commit();
}

/** Where and how rows are tried. */
export interface PlaceCase {
  readonly isolation: Isolation;
  /** Directory below the project in which the agents work. */
  readonly cwd: string | undefined;
  readonly rows: readonly PlaceRow[];
}

/** Agents whose prompt is what they run; the reviewer works in the project itself. */
export function agentsOf({ isolation, cwd, rows }: PlaceCase): readonly object[] {
  const used = new Set(["dev", ...rows.map(({ agent = "dev" }) => agent)]);
  return [...used].map((id) => ({
    ...{ id, backend: "command", command: ["sh"] },
    ...(id === "reviewer" || isolation === "none" ? {} : { isolation }),
    ...(cwd === undefined ? {} : { cwd }),
    ...BOUNDS[id],
  }));
}

/** The rows as steps of a pattern, one after another whatever becomes of them. */
export function stepsOf({ rows }: PlaceCase, depends: boolean): readonly object[] {
  return rows.map(({ id, agent = "dev", prompt, verify }) => ({
    ...{ id, agent, prompt },
    ...(verify === undefined ? {} : { verify: [verify] }),
    ...(depends && id === "review" ? { dependsOn: ["diff-in-check"] } : {}),
  }));
}

/** How each row ended, in words of `ends`. */
export function endsOf({ events, all }: PlacedRun, rows: readonly PlaceRow[]) {
  const tests = new Map(all("tests-changed").map(({ step, files }) => [step, files]));
  const breaches = all("place-breached").filter(({ failed }) => failed);
  return Object.fromEntries(
    rows.map(({ id, agent = "dev" }) => {
      const end = events.find(
        (event): event is EventOf<"step-completed"> | EventOf<"step-failed"> =>
          (event.type === "step-completed" || event.type === "step-failed") && event.step === id,
      );
      if (end === undefined) return [id, "never ended"];
      if (end.type === "step-completed") {
        const told = tests.get(id)?.map((path) => path.replace(/^sub\//, ""));
        return [id, told === undefined ? "done" : `done, tests ${told.join()}`];
      }
      const { code, message } = end.error;
      const paths = breaches
        .filter((breach) => breach.agent === agent)
        .flatMap((breach) => breach.breaches.map(({ path }) => path.replace(/^sub\//, "")));
      if (code === BREACH) return [id, `${code} ${paths.join()}`];
      return [id, message.includes("restored") ? `${code}, restored` : code];
    }),
  );
}

/** How each row has to end. */
export function expectedEnds(rows: readonly PlaceRow[]) {
  return Object.fromEntries(rows.map(({ id, ends }) => [id, ends]));
}
