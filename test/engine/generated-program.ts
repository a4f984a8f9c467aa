import fc from "fast-check";
import type { Context, StepCall } from "../../src/contracts/ports/context.ts";
import type { RunDriver } from "../../src/engine/driver/run-driver.ts";
import { TroupeError } from "../../src/foundation/errors.ts";
import type { Json } from "../../src/foundation/json.ts";
import type { TestProgram } from "../../src/testing/test-run.ts";

/** What a generated program does. Branches are told apart by virtual time alone, so that results have no ties. */
export type Plan =
  | { readonly kind: "step"; readonly style: "sync" | "async" | "fails" | "flaky" }
  | { readonly kind: "sleep"; readonly durationMs: number }
  | { readonly kind: "draw" | "note" | "tell" }
  | { readonly kind: "listen"; readonly timeoutMs: number; readonly thenMs: number }
  | { readonly kind: "approval"; readonly timeoutMs: number }
  | { readonly kind: "sequence"; readonly parts: readonly Plan[] }
  | Branches
  | Guarded;

interface Branches {
  readonly kind: "all" | "race";
  readonly parts: readonly Plan[];
  readonly cancelsLosers: boolean;
}

interface Guarded {
  readonly kind: "scope";
  readonly part: Plan;
  readonly timeoutMs: number;
  readonly shielded: boolean;
}

/** One start of a step, as the world outside the run saw it. */
export interface Execution {
  readonly key: string;
  readonly attempt: number;
}

const durationMs = fc.integer({ min: 1, max: 1_000_000 });

const { plan } = fc.letrec<{ plan: Plan; leaf: Plan; parts: Plan[]; branches: Plan[] }>((tie) => ({
  leaf: fc.oneof(
    fc.record({
      kind: fc.constant("step" as const),
      style: fc.constantFrom("sync" as const, "async" as const, "fails" as const, "flaky" as const),
    }),
    fc.record({ kind: fc.constant("sleep" as const), durationMs }),
    fc.record({ kind: fc.constantFrom("draw" as const, "note" as const, "tell" as const) }),
    fc.record({ kind: fc.constant("listen" as const), timeoutMs: durationMs, thenMs: durationMs }),
    fc.record({ kind: fc.constant("approval" as const), timeoutMs: durationMs }),
  ),
  parts: fc.array(tie("plan"), { minLength: 1, maxLength: 3 }),
  // Each branch starts at a time of its own.
  branches: fc.array(
    fc.tuple(durationMs, tie("plan")).map(
      ([startMs, part]): Plan => ({
        kind: "sequence",
        parts: [{ kind: "sleep", durationMs: startMs }, part],
      }),
    ),
    { minLength: 1, maxLength: 3 },
  ),
  plan: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("leaf"),
    fc.record({ kind: fc.constant("sequence" as const), parts: tie("parts") }),
    fc.record({
      kind: fc.constantFrom("all" as const, "race" as const),
      parts: tie("branches"),
      cancelsLosers: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant("scope" as const),
      part: tie("plan"),
      timeoutMs: durationMs,
      shielded: fc.boolean(),
    }),
  ),
}));

/** Cancels a run some time after it was created, whoever owns it then. */
export function cancelAfter(driver: RunDriver<null>, afterMs: number): void {
  driver.onLive(() => {
    const { createdAt } = driver.state.run;
    const cancel = () => driver.cancel("enough", "user");
    const timer = driver.timers.startTimer(createdAt + afterMs - driver.timers.now(), cancel);
    driver.onStopping(async () => timer.cancel());
  });
}

/** Programs that nest all the ways of waiting. */
export const plans: fc.Arbitrary<Plan> = fc
  .array(plan, { minLength: 1, maxLength: 4 })
  .map((parts) => ({ kind: "sequence", parts }));

/** The program of a plan; its steps write to the ledger. */
export function toProgram(planned: Plan, ledger: Execution[]): TestProgram {
  return (context) => guarded(() => carryOut(planned, context, ledger));
}

/** What every owner of a generated run needs: who carries `tell` out, and a person who decides in time. */
export function prepare(runtime: RunDriver<null>): void {
  runtime.register({
    kind: "post",
    effect: "journal",
    execute: (_input, call) => {
      const { seq } = runtime.append({
        type: "message-posted",
        id: call.op,
        from: "system",
        text: call.op,
        mentions: [],
        signals: [],
        key: call.key,
      });
      return { id: call.op, seq, recipients: [], unknownMentions: [] };
    },
  });
  const decideLater = (approval: string, createdAt: number) => {
    // Half of the decisions come before the timeouts; which ones depends on the id alone.
    const afterMs = (Number.parseInt(approval.slice(4), 36) % 1_000_000) + 1;
    runtime.timers.startTimer(createdAt + afterMs - runtime.timers.now(), () => {
      if (runtime.state.inbox.has(approval))
        runtime.append({ type: "approval-resolved", approval, decision: "approved", by: "user" });
    });
  };
  runtime.onLive(() => {
    for (const item of runtime.state.inbox.values()) decideLater(item.id, item.createdAt);
  });
  runtime.onAppended((event) => {
    if (event.type === "approval-requested") decideLater(event.approval, event.at);
  });
}

async function carryOut(planned: Plan, context: Context, ledger: Execution[]): Promise<Json> {
  switch (planned.kind) {
    case "step":
      return context.step(planned.style, (call) => execute(planned.style, call, ledger), {
        ...(planned.style === "flaky"
          ? { retry: { initialMs: 0, jitter: 0, maxAttempts: 9 } }
          : {}),
      });
    case "sleep":
      await context.sleep(planned.durationMs);
      return context.now();
    case "draw":
      return [context.random(), context.newId("x"), context.now()];
    case "note":
      context.log("info", `at ${context.path}`);
      return null;
    case "tell":
      return (await context.post({ text: "hello" })).id;
    case "listen":
      return listen(planned, context);
    case "approval":
      return { ...(await context.approval({ message: "go on?", timeoutMs: planned.timeoutMs })) };
    case "sequence":
      return inOrder(planned.parts, context, ledger);
    case "all":
    case "race":
      return guarded(() => branchOut(planned, context, ledger));
    case "scope":
      return guarded(() => openScope(planned, context, ledger));
  }
}

async function execute(
  style: "sync" | "async" | "fails" | "flaky",
  call: StepCall,
  ledger: Execution[],
): Promise<Json> {
  ledger.push({ key: call.key, attempt: call.attempt });
  if (style === "async") await new Promise((resolve) => setImmediate(resolve));
  if (style === "fails") throw new Error("on purpose");
  if (style === "flaky" && call.attempt === 1) throw new Error("the first time");
  return call.key;
}

async function listen(
  planned: { readonly timeoutMs: number; readonly thenMs: number },
  context: Context,
): Promise<Json> {
  const subscription = context.subscribe({ kinds: ["message"] });
  const fact = await context.next(subscription, { timeoutMs: planned.timeoutMs });
  // Teller and listener must not go on at the same instant.
  await context.sleep(planned.thenMs);
  return fact?.type === "message-posted" ? fact.id : null;
}

async function inOrder(
  parts: readonly Plan[],
  context: Context,
  ledger: Execution[],
): Promise<Json> {
  const results: Json[] = [];
  for (const part of parts) results.push(await carryOut(part, context, ledger));
  return results;
}

async function branchOut(planned: Branches, context: Context, ledger: Execution[]): Promise<Json> {
  const branches = planned.parts.map((part) =>
    context.scope("branch", (inner) => carryOut(part, inner, ledger)),
  );
  const results = branches.map((branch) => branch.result);
  if (planned.kind === "all") return Promise.all(results);
  try {
    return await Promise.race(results);
  } finally {
    if (planned.cancelsLosers) for (const branch of branches) branch.cancel("lost the race");
  }
}

function openScope(planned: Guarded, context: Context, ledger: Execution[]): Promise<Json> {
  const { timeoutMs, shielded, part } = planned;
  const options = { timeoutMs, shielded };
  return context.scope("inner", (inner) => carryOut(part, inner, ledger), options).result;
}

async function guarded(work: () => Promise<Json>): Promise<Json> {
  try {
    return await work();
  } catch (error) {
    return { failed: error instanceof TroupeError ? error.code : String(error) };
  }
}
