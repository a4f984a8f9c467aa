import "./styles/page.css";
import { render } from "preact";
import { type AddressBar, keepAddress } from "./address.ts";
import { parseRoute } from "./model/route.ts";
import { createRunModel, type RunModel, readReport } from "./model/run-model.ts";
import { RunPage } from "./pages/run-page.tsx";

/** Id of the element that holds the report as JSON. */
const DATA_ELEMENT = "troupe-run";

const ADDRESS_DELAY_MS = 250;

const root = document.createElement("div");
root.id = "root";
document.body.append(root);
// Errors of the page itself are for the console of the browser; what cannot be read is told in the page.
void show(document.getElementById(DATA_ELEMENT)?.textContent ?? "null");

async function show(data: string): Promise<void> {
  const report = await readReport(data);
  if (report === undefined) root.textContent = "This report holds no run that its page can read.";
  else start(createRunModel(report, parseRoute(location.hash)));
}

function start(model: RunModel): void {
  const name = model.moment.value.state.run.workflow;
  document.title = `${name === "" ? model.report.run : name}, ${model.report.run}`;
  const address = keepAddress(model, addressBar());
  addEventListener("hashchange", address.onChanged);
  addEventListener("click", (event) => {
    const hash = hashOfClick(event);
    if (hash === undefined) return;
    // The address may lag behind, so that the browser would see no change in it.
    event.preventDefault();
    address.follow(hash);
  });
  render(<RunPage model={model} />, root);
  performance.mark("shown");
}

function addressBar(): AddressBar {
  return {
    read: () => location.hash,
    write: (hash, how) => {
      if (how === "push") history.pushState(null, "", hash);
      else history.replaceState(null, "", hash);
    },
    later: (run) => {
      const timer = setTimeout(run, ADDRESS_DELAY_MS);
      return () => clearTimeout(timer);
    },
  };
}

/** Where a plain click on a link within the page leads to. */
function hashOfClick(event: MouseEvent): string | undefined {
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!isPlain || !(event.target instanceof Element)) return undefined;
  const target = event.target.closest("a")?.getAttribute("href");
  return target?.startsWith("#") === true ? target : undefined;
}
