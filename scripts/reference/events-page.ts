// Writes the reference of journal events from their declarations.
import ts from "typescript";
import { docOf, parseSources, toCell } from "./source-file.ts";

const INTRO = `# Events

This page is generated from \`src/contracts/events\`: \`npm run reference\` writes it.

The journal of a run is its events in order. \`troupe run --json\`, \`troupe logs --json\` and exported runs have one event per
line:

\`\`\`json
{"v":1,"seq":12,"at":"2026-11-21T20:00:00.123Z","run":"run_7k2fq3","type":"step-completed","step":"review"}
\`\`\`

\`v\` is the version of this format, \`seq\` counts from 1 in each run, \`at\` is the time of writing. Readers ignore types and
fields that they do not know: later versions add some. \`--json\` leaves out \`operation-*\` events, \`--json=all\` prints them
too, so \`seq\` may have gaps. Texts over 256 KiB are \`{"text", "truncated", "ref"}\`.
`;

const GROUPS: readonly (readonly [string, string])[] = [
  ["run-events", "Runs"],
  ["note-events", "Steps and patterns"],
  ["agent-events", "Agents and turns"],
  ["session-events", "Sessions of models"],
  ["collab-events", "Agents that spawn agents"],
  ["message-events", "Messages and documents"],
  ["request-events", "People and requests"],
  ["place-events", "Places where agents work"],
  ["child-events", "Child runs"],
  ["budget-events", "Budgets"],
  ["operation-events", "Operations of the engine"],
];

/** The page of all events. */
export function eventsPage(): string {
  const sources = new Map(
    parseSources("src/contracts/events/*-events.ts").map((source) => [
      source.fileName.replace(/^.*\/|\.ts$/g, ""),
      source,
    ]),
  );
  const known = new Set(GROUPS.map(([name]) => name));
  const others = [...sources.keys()].filter((name) => !known.has(name));
  if (others.length > 0)
    throw new Error(`no heading for src/contracts/events: ${others.join(", ")}`);
  const sections = GROUPS.flatMap(([name, heading]) => {
    const source = sources.get(name);
    return source === undefined ? [] : [`## ${heading}\n`, ...eventsOf(source)];
  });
  return `${[INTRO, ...sections].join("\n")}\n`;
}

function eventsOf(source: ts.SourceFile): readonly string[] {
  const interfaces = new Map<string, ts.InterfaceDeclaration>();
  for (const node of source.statements)
    if (ts.isInterfaceDeclaration(node)) interfaces.set(node.name.text, node);
  return [...interfaces.values()].flatMap((node) => {
    const fields = fieldsOf(node, interfaces);
    const type = fields.find(({ name }) => name === "type")?.type.replaceAll('"', "");
    return type === undefined ? [] : [section(type, docOf(node), fields)];
  });
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly doc: string;
  readonly isOptional: boolean;
}

function fieldsOf(
  node: ts.InterfaceDeclaration,
  interfaces: ReadonlyMap<string, ts.InterfaceDeclaration>,
): readonly Field[] {
  const inherited = (node.heritageClauses ?? []).flatMap((clause) =>
    clause.types.flatMap(({ expression }) => {
      const base = interfaces.get(expression.getText());
      return base === undefined ? [] : fieldsOf(base, interfaces);
    }),
  );
  const own = node.members.filter(ts.isPropertySignature).map(
    (member): Field => ({
      name: member.name.getText(),
      type:
        member.type
          ?.getText()
          .replaceAll(/\breadonly /g, "")
          .replaceAll(/\s+/g, " ") ?? "",
      doc: docOf(member),
      isOptional: member.questionToken !== undefined,
    }),
  );
  return [...inherited, ...own];
}

function section(type: string, doc: string, fields: readonly Field[]): string {
  const rows = fields
    .filter(({ name }) => name !== "type")
    .map(
      ({ name, type: of, doc: about, isOptional }) =>
        `| \`${name}\`${isOptional ? " (optional)" : ""} | \`${toCell(of)}\` | ${toCell(about)} |`,
    );
  const table =
    rows.length === 0 ? [] : ["| field | type | meaning |", "|---|---|---|", ...rows, ""];
  return [`### ${type}`, "", doc, "", ...table].join("\n");
}
