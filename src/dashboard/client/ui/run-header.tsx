import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { tokensOf } from "../../../contracts/usage.ts";
import { runningMsAt } from "../../../fold/running-time.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { formatDuration } from "../../../foundation/duration.ts";
import { lookOfRun } from "../model/look.ts";
import { PAGES, type PageName } from "../model/route.ts";
import type { RunModel } from "../model/run-model.ts";
import { usedBy } from "../model/spending.ts";
import { costText, formatTokens } from "../text/figures.ts";
import { Words } from "../text/prose.tsx";
import { LookBadge } from "./look-icon.tsx";

const TITLES: { readonly [page in PageName]: string } = {
  summary: "Summary",
  graph: "Graph",
  steps: "Steps",
  timeline: "Timeline",
  messages: "Messages",
  documents: "Documents",
  cost: "Cost",
  events: "Events",
};

/** Which run this is, how it stands at the moment that is shown, and the way to its pages. */
export function RunHeader({ model }: { model: RunModel }): JSX.Element {
  const { state, isLeft } = model.moment.value;
  const { look, word } = lookOfRun(state, isLeft);
  const { run } = state;
  return (
    <header class="top">
      <div class="title">
        <h1>
          <Words text={run.workflow === "" ? model.report.run : run.workflow} />
          {run.instance === "" ? null : <span class="instance">@{run.instance}</span>}
        </h1>
        <LookBadge look={look} word={word} />
        <code class="run-id">{model.report.run}</code>
        {model.report.isRedacted ? <span class="chip">redacted</span> : null}
      </div>
      <dl class="figures">
        {figuresOf(model, state).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <nav aria-label="Pages">
        {PAGES.map((page) => (
          <PageLink key={page} page={page} model={model} count={countsOf(state, page)} />
        ))}
      </nav>
    </header>
  );
}

interface PageLinkProps {
  readonly page: PageName;
  readonly model: RunModel;
  readonly count: number | undefined;
}

function PageLink({ page, model, count }: PageLinkProps): JSX.Element {
  const isCurrent = model.route.value.tab === page;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // On a narrow page the links are scrolled.
    if (isCurrent) link.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isCurrent]);
  return (
    <a ref={link} href={model.linkTo({ tab: page })} aria-current={isCurrent ? "page" : undefined}>
      {TITLES[page]}
      {count === undefined ? null : <span class="number">{count}</span>}
    </a>
  );
}

function figuresOf(model: RunModel, state: RunState): readonly (readonly [string, string])[] {
  const { counts } = state.steps;
  const done = counts.completed + counts.skipped;
  const total = model.outline.filter(({ kind }) => kind === "step").length;
  const { phase, lastAt } = state;
  const used = usedBy(state);
  const durationMs = phase.status === "ended" ? phase.durationMs : runningMsAt(state, lastAt);
  return [
    ["Steps", `${done}/${total}`],
    ["Time", formatDuration(durationMs)],
    ["Cost", costText(used)],
    ["Tokens", formatTokens(tokensOf(used))],
  ];
}

function countsOf(state: RunState, page: PageName): number | undefined {
  if (page === "messages") return state.messages.count;
  return page === "documents" ? state.documents.byName.size : undefined;
}
