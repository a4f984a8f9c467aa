import type { LineTable } from "../line-table.ts";

/** What agents do, as far as everybody wants to know. */
export const agentLines: LineTable = {
  "agent-spawned": ({ agent, backend, spec }, { glyphs, excerpt }) => {
    const how = spec.model === undefined ? backend : `${backend}, ${excerpt(spec.model)}`;
    return [{ who: agent, what: `${glyphs.working} joined (${how})` }];
  },
  "agent-status": ({ agent, status, reason }, { glyphs, excerpt }) => {
    if (status !== "stuck") return [];
    return [
      { who: agent, what: `${glyphs.attention} stuck${reason ? `: ${excerpt(reason)}` : ""}` },
    ];
  },
  "status-set": ({ agent, text }, { glyphs, excerpt }) =>
    text === "" ? [] : [{ who: agent, what: `${glyphs.working} ${excerpt(text)}` }],
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
      what: `${glyphs.failed} turn ${turn} failed: ${excerpt(error.message)} [${error.code}]`,
    },
  ],
  "turn-interrupted": ({ agent, turn, reason }, { glyphs }) => [
    { who: agent, what: `${glyphs.paused} turn ${turn} cut off: ${reason}` },
  ],
  "file-changed": ({ agent, path, kind }, { glyphs, excerpt }) => [
    { who: agent, what: `${glyphs.edit} ${excerpt(path)} (${kind})` },
  ],
  "signal-received": ({ agent, signal, counted, refused = "" }, { glyphs, excerpt }) => {
    if (counted) return [];
    const why = `${excerpt(signal.kind)} does not count: ${excerpt(refused)}`;
    return [{ who: agent, what: `${glyphs.attention} signal ${why}` }];
  },
};
