import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { getLanguageService as jsonService } from "vscode-json-languageservice";
import { TextDocument } from "vscode-languageserver-textdocument";
import { getLanguageService as yamlService } from "yaml-language-server";

// The parts of editors that read schemas: YAML of Red Hat's extension, JSON of VS Code itself.
const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../schemas/workflow.schema.json"), "utf8"),
);
const schemas = (fileMatch: string) => [
  { uri: "file:///workflow.json", fileMatch: [fileMatch], schema },
];

interface Place {
  readonly line: number;
  readonly character: number;
}

/** The text without its mark `|`, and where that stood. */
function marked(text: string): { readonly text: string; readonly place: Place } {
  const before = text.slice(0, text.indexOf("|")).split("\n");
  const place = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  return { text: text.replace("|", ""), place };
}

const yaml = yamlService({
  schemaRequestService: async (uri) => Promise.reject(new Error(`${uri} is asked for`)),
  workspaceContext: { resolveRelativePath: (relative) => relative },
});
yaml.configure({
  validate: true,
  completion: true,
  hover: true,
  customTags: [],
  schemas: schemas("*.yaml"),
});

const json = jsonService({});
json.configure({ validate: true, schemas: schemas("*.json") });

async function yamlOffers(given: string): Promise<readonly string[]> {
  const { text, place } = marked(given);
  const { items } = await yaml.doComplete(yamlFile(text), place, false);
  return items.map(({ label }) => label);
}

async function yamlFaults(text: string): Promise<readonly string[]> {
  const faults = await yaml.doValidation(yamlFile(text), false);
  return faults.map(({ range, message }) => `${range.start.line + 1}: ${message}`);
}

async function jsonOffers(given: string): Promise<readonly string[]> {
  const { text, place } = marked(given);
  const file = jsonFile(text);
  const list = await json.doComplete(file, place, json.parseJSONDocument(file));
  return list?.items.map(({ label }) => label) ?? [];
}

async function jsonFaults(text: string): Promise<readonly string[]> {
  const file = jsonFile(text);
  const faults = await json.doValidation(file, json.parseJSONDocument(file));
  return faults.map(({ range, message }) => `${range.start.line + 1}: ${message}`);
}

let files = 0;

function yamlFile(text: string): TextDocument {
  files += 1;
  return TextDocument.create(`file:///flow-${files}.yaml`, "yaml", 1, text);
}

function jsonFile(text: string): TextDocument {
  files += 1;
  return TextDocument.create(`file:///flow-${files}.json`, "json", 1, text);
}

const PATTERN = "name: x\npattern: pipeline\nagents:\n  - { id: a, role: worker }\n";
const KICKOFF = "agents:\n  a: { backend: claude }\nkickoff: go\n";

test.each([
  {
    what: "an empty file",
    text: "|\n",
    offered: ["name", "agents", "pattern", "steps", "kickoff"],
  },
  {
    what: "a pattern workflow",
    text: `${PATTERN}|\n`,
    offered: ["steps", "options", "errorHandling"],
  },
  { what: "its pattern", text: "name: x\npattern: |\n", offered: ["pipeline", "dag", "fan-out"] },
  {
    what: "its steps",
    text: `${PATTERN}steps:\n  - id: s\n    |\n`,
    offered: ["agent", "verify", "dependsOn"],
  },
  {
    what: "a type of step",
    text: "id: f\nsteps:\n  - id: s\n    type: |\n",
    offered: ["agent", "shell", "approval"],
  },
  {
    what: "a step of a type",
    text: "id: f\nsteps:\n  - id: s\n    type: shell\n    |\n",
    offered: ["command", "stdin", "next"],
  },
  {
    what: "a step inside of another",
    text: "id: f\nsteps:\n  - id: s\n    type: parallel\n    steps:\n      - id: t\n        |\n",
    offered: ["type", "when"],
  },
  { what: "a kickoff workflow", text: `${KICKOFF}|\n`, offered: ["context", "setup", "budget"] },
])("the YAML language server completes $what [WF-1.editors]", async ({ text, offered }) => {
  expect(await yamlOffers(text)).toEqual(expect.arrayContaining(offered));
});

test("the YAML language server shows what a key means [WF-1.editors]", async () => {
  const { text, place } = marked(PATTERN.replace("pattern", "pat|tern"));
  expect(JSON.stringify(await yaml.doHover(yamlFile(text), place))).toContain(
    "How the agents work together.",
  );
  const step = marked("id: f\nsteps:\n  - id: s\n    type: shell\n    comm|and: ls\n");
  const shown = await yaml.doHover(yamlFile(step.text), step.place);
  expect(JSON.stringify(shown?.contents)).toMatch(/"value":".{20,}/);
});

test.each([
  { what: "a key of the file", text: `${PATTERN}stpes: []\n`, told: /^5: .*stpes/ },
  { what: "a pattern", text: PATTERN.replace("pipeline", "pipline"), told: /^2: .*"pipeline"/ },
  { what: "a key of an agent", text: PATTERN.replace("role", "rle"), told: /^4: .*rle/ },
  {
    what: "a key of a step",
    text: `${PATTERN}steps:\n  - { id: s, agnt: a }\n`,
    told: /^6: .*agnt/,
  },
  {
    what: "a key of a step with a type",
    text: "id: f\nsteps:\n  - { id: s, type: shell, command: ls, comand: ls }\n",
    told: /^3: .*"command"/,
  },
  {
    what: "a key of a step inside",
    text: "id: f\nsteps:\n  - id: s\n    type: parallel\n    steps:\n      - { id: t, type: shell, comand: ls }\n",
    told: /^6: .*"command"/,
  },
  {
    what: "a missing key",
    text: "id: f\nsteps:\n  - { id: s, type: shell }\n",
    told: /^3: .*"command"/,
  },
  {
    what: "a kind of value",
    text: `${PATTERN}steps:\n  - { id: s, verify: none }\n`,
    told: /^6: .*array/,
  },
  { what: "a key of a kickoff workflow", text: `${KICKOFF}contxt: {}\n`, told: /^4: .*contxt/ },
])("the YAML language server reports $what [WF-1.editors]", async ({ text, told }) => {
  const faults = await yamlFaults(text);
  expect(
    faults.filter((fault) => told.test(fault)),
    faults.join("\n"),
  ).not.toEqual([]);
});

test.each([PATTERN, KICKOFF, "id: f\nsteps:\n  - { id: s, type: shell, command: ls }\n"])(
  "the YAML language server has nothing against %j [WF-1.editors]",
  async (text) => {
    expect(await yamlFaults(text)).toEqual([]);
  },
);

test("the JSON language server completes, describes and reports [WF-1.editors]", async () => {
  expect(await jsonOffers('{ "name": "x", "pattern": "|" }')).toContain('"pipeline"');
  expect(await jsonOffers('{ "name": "x", "pattern": "dag", | }')).toEqual(
    expect.arrayContaining(["agents", "steps", "errorHandling"]),
  );
  expect(await jsonOffers('{ "id": "f", "steps": [{ "id": "s", "type": "shell", | }] }')).toEqual(
    expect.arrayContaining(["command", "stdin", "next"]),
  );
  const { text, place } = marked('{ "name": "x", "pat|tern": "dag", "agents": [] }');
  const file = jsonFile(text);
  const shown = await json.doHover(file, place, json.parseJSONDocument(file));
  expect(JSON.stringify(shown)).toContain("How the agents work together");
  expect(await jsonFaults('{ "name": "x", "pattern": "dag", "agents": [{ "id": "a" }] }')).toEqual(
    [],
  );
  expect(
    await jsonFaults('{ "name": "x", "pattern": "dga", "agents": [{ "id": "a" }],\n"stpes": [] }'),
  ).toEqual([expect.stringMatching(/^1: .*"pipeline"/), expect.stringMatching(/^2: .*stpes/)]);
});
