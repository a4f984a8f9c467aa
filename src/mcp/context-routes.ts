import type { ServedRoute } from "./route-table.ts";

const withBody = { caller: "agent", body: "json" } as const;
const withoutBody = { caller: "agent", body: "none" } as const;

/** Everything that the context server answers. What answers is loaded at the first request. */
export const contextRoutes: readonly ServedRoute[] = [
  {
    method: "POST",
    path: "/mcp",
    policy: withBody,
    answer: async (admitted) => (await import("./answer-mcp.ts")).answerMcp(admitted),
  },
  {
    method: "GET",
    path: "/mcp",
    policy: withoutBody,
    answer: async (admitted) => (await import("./answer-mcp.ts")).answerMcp(admitted),
  },
  {
    method: "DELETE",
    path: "/mcp",
    policy: withoutBody,
    answer: async (admitted) => (await import("./answer-mcp.ts")).answerMcp(admitted),
  },
  {
    method: "UPGRADE",
    path: "/mcp",
    policy: withoutBody,
    take: async (admitted) => (await import("./serve-lines.ts")).serveLines(admitted),
  },
  {
    method: "POST",
    path: "/tools/*",
    policy: withBody,
    answer: async (admitted) => (await import("./answer-tool.ts")).answerTool(admitted),
  },
];
