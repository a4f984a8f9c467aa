import { didYouMean, listNames, nearestName } from "../../foundation/near-names.ts";

// What other tools (CI systems, agent frameworks, earlier forms of files) call what a workflow says in other words.
// Of several words the first that is known at the place is meant.
const MEANT: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    if: ["when", "condition"],
    condition: ["when"],
    only_if: ["when"],
    needs: ["dependsOn", "depends_on", "after", "next"],
    depends: ["dependsOn", "depends_on", "after", "next"],
    requires: ["dependsOn", "depends_on", "after", "next"],
    depends_on: ["dependsOn"],
    dependson: ["depends_on"],
    after: ["dependsOn", "depends_on"],
    run: ["command"],
    script: ["command"],
    cmd: ["command"],
    shell: ["command"],
    exec: ["command"],
    retry: ["maxRetries", "max_retries", "maxAttempts", "max_attempts"],
    retries: ["maxRetries", "max_retries", "maxAttempts", "max_attempts"],
    attempts: ["maxAttempts", "max_attempts"],
    "timeout-minutes": ["timeout", "timeout_ms"],
    timeout_minutes: ["timeout", "timeout_ms"],
    "continue-on-error": ["allowFailure", "on_error"],
    continue_on_error: ["allowFailure", "on_error"],
    "working-directory": ["cwd"],
    workdir: ["cwd"],
    dir: ["cwd"],
    strategy: ["matrix"],
    "max-parallel": ["maxConcurrency", "max_concurrency"],
    "fail-fast": ["failFast"],
    jobs: ["steps"],
    tasks: ["steps"],
    stages: ["steps"],
    nodes: ["steps"],
    workflow: ["steps"],
    on_failure: ["on_error", "errorHandling"],
    catch: ["on_error", "errorHandling"],
    instructions: ["systemPrompt", "system_prompt", "prompt"],
    system: ["systemPrompt", "system_prompt"],
    backstory: ["systemPrompt", "system_prompt"],
    goal: ["task", "prompt"],
    task: ["prompt"],
    expected_output: ["expects", "verify"],
    check: ["verify"],
    checks: ["verify"],
    tests: ["verify"],
    with: ["input", "params"],
    args: ["input", "params"],
    inputs: ["params", "input"],
    parameters: ["params"],
    variables: ["params"],
    vars: ["params"],
    llm: ["model", "backend"],
    engine: ["backend"],
    provider: ["backend"],
    providers: ["backends"],
    models: ["backends"],
    runner: ["backend"],
    cli: ["backend"],
    parallelism: ["maxConcurrency", "max_concurrency"],
    concurrency: ["maxConcurrency", "max_concurrency"],
    members: ["agents"],
    team: ["agents"],
    title: ["name", "id"],
    stage: ["id"],
  }),
);

// What a file is to do is no part of it.
const SAID_AT_THE_START: ReadonlySet<string> = new Set(["task", "goal", "prompt", "objective"]);

/** The key that an unknown one was to be: by what it means in other tools, else by its letters; undefined for neither. */
export function meantKey(given: string, known: readonly string[]): string | undefined {
  const byMeaning = (MEANT.get(given.toLowerCase()) ?? []).find((word) => known.includes(word));
  if (byMeaning !== undefined) return byMeaning;
  // One letter, or two of which one is wrong, say nothing.
  return given.length < 3 && !known.includes(given.toLowerCase())
    ? undefined
    : nearestName(given, known);
}

/** The hint for a key that counts or measures otherwise than the one nearest to it: with the value changed too. */
function hintForOtherMeaning(given: string, known: readonly string[]): string | undefined {
  const knows = (key: string) => known.includes(key);
  const isRetries = given === "retry" || given === "retries";
  if (given === "max_retries" && knows("maxRetries"))
    return "maxRetries counts the attempts after the first: max_retries: 2 of a step workflow is maxRetries: 1 here";
  if ((given === "maxRetries" || isRetries) && knows("max_attempts"))
    return `max_attempts counts all attempts: ${given}: 2 is max_attempts: 3 here`;
  if (/^timeout[-_]minutes$/.test(given) && knows("timeout"))
    return `timeout has its unit: ${given}: 10 is timeout: 10m here`;
  if (/^timeout[-_]minutes$/.test(given) && knows("timeout_ms"))
    return `timeout_ms is in milliseconds: ${given}: 10 is timeout_ms: 600000 here`;
  const measured = known.find((key) => key !== given && quantityOf(key) === quantityOf(given));
  if (measured === undefined || isInMs(measured) === isInMs(given)) return undefined;
  return isInMs(given)
    ? `${measured} has its unit: ${given}: 60000 is ${measured}: 60s here`
    : `${measured} is in milliseconds: ${given}: 60s is ${measured}: 60000 here`;
}

function isInMs(key: string): boolean {
  return /(?:_ms|Ms)$/.test(key);
}

/** What a key is about, however it is spelt and whatever its unit. */
function quantityOf(key: string): string {
  return key
    .replace(/(?:_ms|Ms)$/, "")
    .replaceAll(/[-_]/g, "")
    .toLowerCase();
}

/** The hint for an unknown key: what it was to be, and what is known. */
export function hintForKey(given: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  if (known.includes("pattern") && SAID_AT_THE_START.has(given.toLowerCase()))
    return 'what is to be done is said when it runs: troupe run FILE "the task"';
  if (known.includes("cost") && given === "perDay")
    return "all runs of a day are bounded in the configuration: budget: { perDay: 50 } in .troupe/config.yaml";
  const otherMeaning = hintForOtherMeaning(given, known);
  if (otherMeaning !== undefined) return otherMeaning;
  const meant = meantKey(given, known);
  return meant === undefined ? listNames(known) : didYouMean(meant, known);
}
