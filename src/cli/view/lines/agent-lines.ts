import type { NudgeRung } from "../../../contracts/events/agent-events.ts";
import type { PlaceBreach } from "../../../contracts/events/place-events.ts";
import { shownMessage } from "../../../fold/failed-output.ts";
import { interruptionText } from "../../../fold/interruption-text.ts";
import { count } from "../../../foundation/count.ts";
import type { LineTable } from "../parts/line-table.ts";

/** More than this would hide everything else. */
const MOST_BREACHES = 10;

const BREACHES: { readonly [Rule in PlaceBreach["rule"]]: string } = {
  include: "outside fileScope.include",
  exclude: "of fileScope.exclude",
  readOnly: "which is readOnly",
  link: "into a link that leads out of its directory",
  obeyed: "which programs outside obey",
  stash: "which all worktrees share",
  branch: "in place of its own branch",
  outside: "outside its worktree, or somebody else did",
  network: "beyond its reach",
};

const RUNG_WORDS: { readonly [Rung in NudgeRung]: string } = {
  nudge: "asked whether it goes on",
  interrupt: "cut off, and told why",
  restart: "starts anew in a session of its own",
  fail: "given up",
};

const COLLAB_WORDS: { readonly [Operation in "send" | "close" | "resume"]: string } = {
  send: "gives more to do to",
  close: "has closed",
  resume: "brings back",
};

/** What agents do, as far as everybody wants to know. */
export const agentEventLines: LineTable = {
  "agent-spawned": ({ agent, backend, spec }, { glyphs, excerpt }) => {
    const how = spec.model === undefined ? backend : `${backend}, ${excerpt(spec.model)}`;
    return [{ who: agent, what: `${glyphs.working} joined (${how})` }];
  },
  "agent-placed": ({ agent, worktree, isConfined, warnings = [] }, { glyphs, excerpt }) => {
    const told = warnings.map((warning) => ({
      who: agent,
      what: `${glyphs.attention} ${warning}`,
    }));
    if (worktree !== undefined)
      return [
        { who: agent, what: `${glyphs.working} works on branch ${excerpt(worktree.branch)}` },
        ...told,
      ];
    return isConfined === false
      ? [{ who: agent, what: `${glyphs.attention} works without its sandbox (--unsandboxed)` }]
      : told;
  },
  "place-breached": ({ agent, breaches, more = 0, failed }, { glyphs, excerpt }) => {
    const glyph = failed ? glyphs.failed : glyphs.attention;
    const listed = breaches.slice(0, MOST_BREACHES);
    const lines = listed.map(({ rule, path, reason = "" }) => ({
      who: agent,
      what:
        rule === "network"
          ? `${glyph} was kept from ${excerpt(path)}: ${excerpt(reason)}`
          : `${glyph} changed ${excerpt(path)} ${BREACHES[rule]}`,
    }));
    const rest = breaches.length - listed.length + more;
    return rest === 0 ? lines : [...lines, { who: agent, what: `${glyph} and ${rest} more` }];
  },
  "place-settled": ({ agent, branch, commit, files }, { glyphs, excerpt }) => {
    if (commit === undefined) return [];
    const what = `${count(files, "file")} on branch ${excerpt(branch)}`;
    return [{ who: agent, what: `${glyphs.edit} left ${what}` }];
  },
  "agent-status": ({ agent, status, reason }, { glyphs, excerpt }) => {
    const why = reason === undefined ? "" : excerpt(reason);
    if (status === "stuck")
      return [{ who: agent, what: `${glyphs.attention} stuck${why === "" ? "" : `: ${why}`}` }];
    return why === "" ? [] : [{ who: agent, what: `${glyphs.paused} ${why}` }];
  },
  "agent-nudged": ({ agent, rung }, { glyphs }) => [
    { who: agent, what: `${glyphs.attention} ${RUNG_WORDS[rung]}` },
  ],
  "agent-restarted": ({ agent, by }, { glyphs, excerpt }) => [
    { who: agent, what: `${glyphs.retry} begins anew, as ${excerpt(by)} wants` },
  ],
  "status-set": ({ agent, text }, { glyphs, excerpt }) =>
    text === "" ? [] : [{ who: agent, what: `${glyphs.working} ${excerpt(text)}` }],
  "agent-mode-set": ({ agent, mode }, { glyphs }) => [
    {
      who: agent,
      what: `${glyphs.working} ${mode === "plan" ? "plans, and changes nothing" : "has ended planning"}`,
    },
  ],
  "agent-model-set": ({ agent, model }, { glyphs }) => [
    { who: agent, what: `${glyphs.working} asks ${model ?? "its own model"} from now on` },
  ],
  "compaction-asked": ({ agent }, { glyphs }) => [
    { who: agent, what: `${glyphs.working} is to forget what is old` },
  ],
  // What they are told is a message, which has a line of its own.
  "collab-began": ({ agent, operation, agents }, { glyphs, excerpt }) => {
    if (operation !== "spawn" && operation !== "wait") return [];
    const what = operation === "wait" ? "waits for" : "spawns";
    return [{ who: agent, what: `${glyphs.working} ${what} ${excerpt(agents.join(", "))}` }];
  },
  "collab-ended": ({ agent, operation, agents, statuses, timedOut, error }, context) => {
    const { glyphs, excerpt } = context;
    const whom = excerpt(agents.join(", "));
    if (error !== undefined) {
      const why = `${excerpt(error.message)} [${error.code}]`;
      return [{ who: agent, what: `${glyphs.attention} cannot ${operation} ${whom}: ${why}` }];
    }
    if (operation === "spawn") return [];
    if (operation !== "wait")
      return [{ who: agent, what: `${glyphs.working} ${COLLAB_WORDS[operation]} ${whom}` }];
    const told = Object.entries(statuses).map(([id, status]) => `${id} ${status}`);
    const end = timedOut ? "waited in vain" : "has waited";
    return [{ who: agent, what: `${glyphs.working} ${end}: ${excerpt(told.join(", "))}` }];
  },
  "agent-exited": ({ agent, reason, error }, { glyphs, excerpt }) => {
    if (reason !== "failed" && reason !== "timeout") return [];
    const why = error === undefined ? "" : `: ${excerpt(error.message)} [${error.code}]`;
    return [{ who: agent, what: `${glyphs.failed} gave up (${reason})${why}` }];
  },
  "session-ended": ({ agent, reason }, { glyphs }) => {
    if (reason !== "crashed") return [];
    return [{ who: agent, what: `${glyphs.attention} session crashed` }];
  },
  "turn-completed": ({ agent, turn, stopReason }, { glyphs }) => {
    if (stopReason === "end_turn") return [];
    return [{ who: agent, what: `${glyphs.attention} turn ${turn} stopped: ${stopReason}` }];
  },
  "turn-failed": ({ agent, turn, error }, { glyphs, excerpt }) => [
    {
      who: agent,
      what: `${glyphs.failed} turn ${turn} failed: ${excerpt(shownMessage(error))} [${error.code}]`,
    },
  ],
  "turn-interrupted": ({ agent, turn, reason }, { glyphs }) => {
    // Its agent says for what it waits, or what is done about it.
    if (["rate-limited", "stuck", "restarted"].includes(reason)) return [];
    return [
      { who: agent, what: `${glyphs.paused} turn ${turn} cut off: ${interruptionText(reason)}` },
    ];
  },
  "file-changed": ({ agent, path, kind }, { glyphs, excerpt }) => [
    { who: agent, what: `${glyphs.edit} ${excerpt(path)} (${kind})` },
  ],
  "signal-received": ({ agent, signal, counted, refused = "" }, { glyphs, excerpt }) => {
    if (counted) return [];
    const why = `${excerpt(signal.kind)} does not count: ${excerpt(refused)}`;
    return [{ who: agent, what: `${glyphs.attention} signal ${why}` }];
  },
  // What signals do not count has a line of its own.
  "author-told": ({ agent, text }, { glyphs, excerpt }) =>
    text.includes("\n") ? [] : [{ who: agent, what: `${glyphs.attention} told: ${excerpt(text)}` }],
};
