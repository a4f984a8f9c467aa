import { z } from "zod";
import type { TurnClient } from "../../../contracts/turn-client.ts";
import { type Json, storableJson } from "../../../foundation/json.ts";
import type { RpcRequest } from "../parts/json-rpc-lines.ts";
import { editingTool, type FileChange, TROUPE_SERVER } from "./codex-item.ts";
import { scriptOf } from "./shell-script.ts";

/** What is known of the turn that asks. */
export interface AskingTurn {
  readonly client: Pick<TurnClient, "ask" | "requestPermission">;
  /** Names of the tools that the agent may use; absent: all. */
  readonly tools: readonly string[] | undefined;
  changesOf(item: string): readonly FileChange[] | undefined;
  /** Tells the agent something beside the answer, which has no room for it. */
  tell(text: string): Promise<unknown>;
}

const commandSchema = z.object({
  itemId: z.string().optional(),
  command: z.string().nullish(),
  cwd: z.string().nullish(),
  reason: z.string().nullish(),
  networkApprovalContext: z.object({ host: z.string(), protocol: z.string() }).nullish(),
});
const filesSchema = z.object({ itemId: z.string(), grantRoot: z.string().nullish() });
const moreSchema = z.object({
  reason: z.string().nullish(),
  permissions: z.object({ network: z.unknown().optional(), fileSystem: z.unknown().optional() }),
});
const questionsSchema = z.object({
  questions: z.array(
    z.object({
      id: z.string(),
      question: z.string(),
      options: z.array(z.object({ label: z.string() })).nullish(),
    }),
  ),
});
const elicitationSchema = z.object({
  serverName: z.string(),
  message: z.string().catch(""),
  requestedSchema: z.object({ properties: z.record(z.string(), z.unknown()) }).optional(),
});

interface Use {
  readonly tool: string;
  readonly input: Json;
  /** Id of the item that asks; absent for what belongs to none. */
  readonly call?: string | undefined;
}

/**
 * The answer to a request of Codex, after asking whoever decides; undefined for requests that troupe has no
 * answer to. Without a turn, and when the turn ends meanwhile, it is denied.
 */
export async function answerRequest(
  { method, params }: RpcRequest,
  turn: AskingTurn | undefined,
): Promise<unknown> {
  switch (method) {
    case "item/commandExecution/requestApproval":
      return { decision: await decide([commandUse(params)], turn) };
    case "item/fileChange/requestApproval":
      return { decision: await decide(fileUses(params, turn), turn) };
    case "item/permissions/requestApproval":
      return morePermissions(params, turn);
    case "mcpServer/elicitation/request":
      return elicited(params, turn);
    case "item/tool/requestUserInput":
      return userInput(params, turn);
    default:
      return undefined;
  }
}

type Decision = "accept" | "decline" | "cancel";

/** All uses have to be allowed; the first that is not decides. What cannot be read is denied. */
async function decide(
  uses: readonly (Use | undefined)[],
  turn: AskingTurn | undefined,
): Promise<Decision> {
  if (turn === undefined || uses.length === 0) return "decline";
  try {
    for (const use of uses) {
      if (use === undefined || !(await isAllowed(use, turn))) return "decline";
    }
    return "accept";
  } catch {
    // The turn is over: what was asked for must not begin any more.
    return "cancel";
  }
}

async function isAllowed({ tool, input, call }: Use, turn: AskingTurn): Promise<boolean> {
  if (turn.tools !== undefined && !turn.tools.includes(tool)) {
    await turn.tell(`You may not use ${tool} here: work without it.`);
    return false;
  }
  const { decision, comment } = await turn.client.requestPermission(tool, input, { told: call });
  if (decision === "allowed") return true;
  if (comment !== undefined) await turn.tell(`Your use of ${tool} was denied: ${comment}`);
  return false;
}

function commandUse(params: unknown): Use | undefined {
  const {
    itemId: call,
    command,
    cwd,
    reason,
    networkApprovalContext: network,
  } = commandSchema.safeParse(params).data ?? {};
  const details = { ...text("cwd", cwd), ...text("reason", reason) };
  if (network !== undefined && network !== null)
    return {
      tool: "WebFetch",
      input: { url: `${network.protocol}://${network.host}`, ...details },
      call,
    };
  if (typeof command !== "string") return undefined;
  return { tool: "Bash", input: { command: scriptOf(command), ...details }, call };
}

/** One use for each file, so that a rule about any of them is heard. */
function fileUses(params: unknown, turn: AskingTurn | undefined): readonly (Use | undefined)[] {
  const { itemId = "", grantRoot } = filesSchema.safeParse(params).data ?? {};
  const changes = turn?.changesOf(itemId);
  if (changes === undefined) return [undefined];
  const uses = changes.flatMap(toUses);
  const root =
    typeof grantRoot === "string" ? [{ tool: "Edit", input: { file_path: grantRoot } }] : [];
  return [...uses, ...root].map((use) => ({ ...use, call: itemId }));
}

function toUses(change: FileChange): readonly Use[] {
  const { move_path: moved } = change.kind;
  const paths = typeof moved === "string" ? [change.path, moved] : [change.path];
  return paths.map((path) => ({ tool: editingTool(change), input: { file_path: path } }));
}

async function morePermissions(params: unknown, turn: AskingTurn | undefined): Promise<unknown> {
  const { reason, permissions } = moreSchema.safeParse(params).data ?? {};
  const input = storableJson({ ...permissions, ...text("reason", reason) });
  const use = permissions === undefined ? undefined : { tool: "request_permissions", input };
  const isGranted = (await decide([use], turn)) === "accept";
  return { permissions: isGranted ? permissions : {}, scope: "turn" };
}

async function elicited(params: unknown, turn: AskingTurn | undefined): Promise<unknown> {
  const { serverName, message, requestedSchema } = elicitationSchema.safeParse(params).data ?? {};
  const isQuestion = Object.keys(requestedSchema?.properties ?? { missing: true }).length > 0;
  const answer = (action: Decision) => ({
    action,
    content: action === "accept" ? {} : null,
    _meta: null,
  });
  // What wants more than a yes is not about permission, and nobody here has the answer.
  if (serverName === undefined || isQuestion) return answer("decline");
  if (serverName === TROUPE_SERVER) return answer(turn === undefined ? "decline" : "accept");
  const use = { tool: `mcp__${serverName}`, input: { message: message ?? "" } };
  return answer(await decide([use], turn));
}

async function userInput(params: unknown, turn: AskingTurn | undefined): Promise<unknown> {
  const { questions = [] } = questionsSchema.safeParse(params).data ?? {};
  const answers: { [id: string]: { readonly answers: readonly string[] } } = {};
  try {
    for (const { id, question, options } of questions) {
      const choices = (options ?? []).map(({ label }) => `- ${label}`);
      const answer = await turn?.client.ask([question, ...choices].join("\n"));
      answers[id] = { answers: answer === undefined ? [] : [answer] };
    }
  } catch {
    // The turn is over: whoever asked has stopped listening.
  }
  return { answers };
}

function text(name: string, value: string | null | undefined): { readonly [name: string]: string } {
  return typeof value === "string" ? { [name]: value } : {};
}
