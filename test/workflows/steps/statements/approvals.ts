import { expect } from "vitest";
import { runSteps, type SourceStart } from "./source-run.ts";
import { statements } from "./statement.ts";

const value = (id: string) => ({ id, type: "transform", transform: "1" });
const planned = (approval: object) => [
  { id: "plan", type: "agent", agent: "planner", next: "ask" },
  { id: "ask", type: "approval", ...approval },
];
const plan = { agents: { planner: () => ({ files: ["src/theme.ts"] }) } };
const yes: SourceStart = { ...plan, approvals: "all" };
const no: SourceStart = { ...plan, approvals: "none" };

/** What the source says of approvals. */
export const approvals = statements([
  {
    says: "`message` is what a person is asked, and `Approve?` if not said",
    check: async () => {
      const messageOf = async (approval: object) =>
        (await runSteps(planned(approval), yes)).all("approval-requested")[0]?.message;
      expect(await messageOf({})).toBe("Approve?");
      expect(await messageOf({ message: "Approve implementation plan?" })).toBe(
        "Approve implementation plan?",
      );
      expect(await messageOf({ message: "Build {{context.plan.files}}?" })).toBe(
        'Build ["src/theme.ts"]?',
      );
    },
  },
  {
    says: "the person is shown the context; here what is to be approved: the data of the step before",
    decidedBy: "STP-8",
    check: async () => {
      const end = await runSteps(planned({}), yes);
      expect(end.all("approval-requested")[0]?.show).toEqual({ files: ["src/theme.ts"] });
    },
  },
  {
    says: "approved goes on with `on_approve`",
    check: async () => {
      const end = await runSteps(
        [...planned({ on_approve: "code", on_reject: "plan" }), value("code")],
        yes,
      );
      expect(end.flow.path).toEqual(["plan", "ask", "code"]);
    },
  },
  {
    says: "approved without `on_approve` goes on with `next`",
    check: async () => {
      const end = await runSteps([...planned({ next: "code" }), value("code")], yes);
      expect(end.flow.path).toEqual(["plan", "ask", "code"]);
    },
  },
  {
    says: "approved with neither ends the way",
    check: async () => {
      expect(await runSteps(planned({}), yes)).toMatchObject({ outcome: "completed" });
    },
  },
  {
    says: "rejected goes on with `on_reject`, such as back to the plan",
    check: async () => {
      let decisions = 0;
      const end = await runSteps(
        [...planned({ on_approve: "code", on_reject: "plan" }), value("code")],
        {
          ...plan,
          decide: () => {
            decisions += 1;
            return { decision: decisions < 2 ? "rejected" : "approved" };
          },
        },
      );
      expect(end).toMatchObject({
        outcome: "completed",
        flow: { path: ["plan", "ask", "plan", "ask", "code"] },
      });
    },
  },
  {
    says: "rejected never goes on with `next`, as in the sketch",
    check: async () => {
      const end = await runSteps([...planned({ next: "code" }), value("code")], no);
      expect(end.flow.path).toEqual(["plan", "ask"]);
    },
  },
  {
    says: "rejected without `on_reject` is a success of the sketch's run; here the run ends as rejected",
    decidedBy: "STP-8",
    check: async () => {
      const end = await runSteps([...planned({ on_approve: "code" }), value("code")], no);
      expect(end.outcome).toBe("rejected");
    },
  },
  {
    says: "inside of a parallel, where nothing leads on from it, a rejection fails the step and the run ends as rejected",
    decidedBy: "STP-8",
    check: async () => {
      const both = { id: "both", type: "parallel", steps: [{ id: "ask", type: "approval" }] };
      const open = await runSteps([both], no);
      expect(open.outcome).toBe("rejected");
      expect(open.all("step-failed")[0]?.error.code).toBe("STEP_REJECTED");
      const handled = await runSteps([{ ...both, on_error: "code" }, value("code")], no);
      expect(handled.outcome).toBe("completed");
    },
  },
  {
    says: "a rejection is an answer and no failure of the step",
    check: async () => {
      const end = await runSteps(
        [...planned({ on_approve: "code", on_reject: "code" }), value("code")],
        no,
      );
      expect(end.outcome).toBe("completed");
      expect(end.all("step-failed")).toEqual([]);
    },
  },
  {
    says: "the data has `approved`; comment, edit and who decided stand beside it",
    decidedBy: "STP-8",
    check: async () => {
      const end = await runSteps(planned({}), {
        ...plan,
        decide: () => ({ decision: "approved", comment: "mind the gap" }),
      });
      expect(end.flow.context["ask"]).toEqual({
        approved: true,
        comment: "mind the gap",
        edited: null,
        by: "user",
      });
    },
  },
  {
    says: "the next agent sees that it was approved",
    check: async () => {
      const code = { id: "code", type: "agent", agent: "coder", input: "plan" };
      const end = await runSteps([...planned({ on_approve: "code" }), code], {
        ...yes,
        input: "dark mode",
      });
      expect(end.given.at(-1)).toMatchObject([
        "coder",
        {
          input: "dark mode",
          plan: { files: ["src/theme.ts"] },
          context: { plan: { files: ["src/theme.ts"] }, ask: { approved: true } },
        },
      ]);
    },
  },
  {
    says: "an approval has no deadline if none is said, also not that of agents",
    decidedBy: "STP-15",
    check: async () => {
      const end = await runSteps(planned({}), yes);
      expect(end.all("approval-requested")[0]).not.toHaveProperty("expiresAt");
    },
  },
  {
    says: "with `timeout_ms` nobody's answer is a rejection, or what `on_timeout` says",
    decidedBy: "STP-8",
    check: async () => {
      const soon = { timeout_ms: 60_000, on_approve: "code" };
      const steps = (more: object) => [...planned({ ...soon, ...more }), value("code")];
      expect((await runSteps(steps({}), plan)).outcome).toBe("rejected");
      expect((await runSteps(steps({ on_timeout: "approve" }), plan)).flow.path).toEqual([
        "plan",
        "ask",
        "code",
      ]);
    },
  },
]);
