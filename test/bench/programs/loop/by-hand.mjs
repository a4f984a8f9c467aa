// A loop by hand: fetch, a list of messages, a tool.
import { printLoopFigure, tool } from "./loop-bench.ts";

const parameters = { type: "object", properties: { index: { type: "number" } } };
const tools = [
  { type: "function", function: { name: tool.name, description: tool.description, parameters } },
];

await printLoopFigure((baseURL) => async () => {
  const messages = [{ role: "user", content: "go" }];
  for (;;) {
    const response = await fetch(`${baseURL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer a-key" },
      body: JSON.stringify({ model: "scripted", messages, tools }),
    });
    const [{ message }] = (await response.json()).choices;
    messages.push(message);
    if (message.tool_calls === undefined) return message.content;
    for (const { id, function: called } of message.tool_calls) {
      const content = tool.says(JSON.parse(called.arguments));
      messages.push({ role: "tool", tool_call_id: id, content });
    }
  }
});
