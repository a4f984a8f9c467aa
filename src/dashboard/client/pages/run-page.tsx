import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { actionOf, type KeyAction, type KeyFocus } from "../model/keys.ts";
import type { PageName } from "../model/route.ts";
import type { RunModel } from "../model/run-model.ts";
import { RunHeader } from "../ui/run-header.tsx";
import { moveToMarker, TransportBar, togglePlaying } from "../ui/transport-bar.tsx";
import { CostPage } from "./cost-page.tsx";
import { DocumentsPage } from "./documents-page.tsx";
import { EventsPage } from "./events-page.tsx";
import { GraphPage } from "./graph-page.tsx";
import { MessagesPage } from "./messages-page.tsx";
import { StepsPage } from "./steps-page.tsx";
import { SummaryPage } from "./summary-page.tsx";
import { TimelinePage } from "./timeline-page.tsx";

const PAGE_VIEWS: { readonly [page in PageName]: (props: { model: RunModel }) => JSX.Element } = {
  summary: SummaryPage,
  graph: GraphPage,
  steps: StepsPage,
  timeline: TimelinePage,
  messages: MessagesPage,
  documents: DocumentsPage,
  cost: CostPage,
  events: EventsPage,
};

/** One run: its header, the page that is chosen, and the bar that moves all of it through time. */
export function RunPage({ model }: { model: RunModel }): JSX.Element {
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  useKeys(model, () => setIsHelpOpen(true));
  const { tab } = model.route.value;
  const View = PAGE_VIEWS[tab];
  return (
    <>
      <RunHeader model={model} />
      <main key={tab}>
        <View model={model} />
      </main>
      <TransportBar model={model} onHelp={() => setIsHelpOpen(true)} />
      <HelpDialog isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)} />
    </>
  );
}

function useKeys(model: RunModel, onHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const action = actionOf(event, focusOf(event.target));
      if (action === undefined || event.defaultPrevented) return;
      event.preventDefault();
      carryOut(action, model, onHelp);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [model, onHelp]);
}

function carryOut(action: KeyAction, model: RunModel, onHelp: () => void): void {
  const { position } = model.moment.value;
  switch (action.kind) {
    case "step":
      model.isPlaying.value = false;
      model.moveTo(position + action.direction);
      break;
    case "marker":
      moveToMarker(model, action.direction);
      break;
    case "play":
      togglePlaying(model);
      break;
    case "start":
      model.moveTo(0);
      break;
    case "end":
      model.moveTo(Infinity);
      break;
    case "page":
      model.show({ ...model.route.value, tab: action.page });
      break;
    case "help":
      onHelp();
      break;
  }
}

function focusOf(target: EventTarget | null): KeyFocus {
  if (!(target instanceof Element)) return "page";
  if (target.closest("dialog") !== null) return "typing";
  if (target.matches("input:not([type=range]), select, textarea")) return "typing";
  return target.matches("a, button, summary") ? "control" : "page";
}

const KEYS: readonly (readonly [string, string])[] = [
  ["← →", "one event back or on"],
  [
    "Shift ← →",
    "previous or next marker: a person is asked (▲), a failure (✖), a document is written",
  ],
  ["Space", "play or pause"],
  ["Home End", "beginning or end of the run"],
  ["1 to 8", "the pages, in their order"],
  ["↑ ↓", "between the rows of a table, once a link in it has the focus"],
  ["?", "this help"],
];

/** The keys of the page. */
function HelpDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} onClose={onClose} aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
