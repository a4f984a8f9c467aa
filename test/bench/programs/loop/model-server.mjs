// A model that speaks OpenAI's chat protocol: it calls a tool until it was answered so often as the address says.
import { createServer } from "node:http";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const base = { created: 1, model: "scripted" };

createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { messages, stream } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const asked = messages.filter(({ role }) => role === "assistant").length + 1;
    const isLast = asked >= Number((request.url ?? "").split("/")[1]);
    const said = isLast ? { content: "done" } : { content: null, tool_calls: [toolCall(asked)] };
    const finish = isLast ? "stop" : "tool_calls";
    // Some take answers of one name for one answer.
    const answer = { ...base, id: `answer-${asked}` };
    if (stream === true) sendStream(response, { answer, said, finish });
    else sendWhole(response, { answer, said, finish });
  });
}).listen(0, "127.0.0.1", function announce() {
  console.log(this.address().port);
});
process.on("disconnect", () => process.exit());

function toolCall(index) {
  const input = JSON.stringify({ index });
  return {
    index: 0,
    id: `call-${index}`,
    type: "function",
    function: { name: "look", arguments: input },
  };
}

function sendWhole(response, { answer, said, finish }) {
  const message = { role: "assistant", ...said };
  const choices = [{ index: 0, message, finish_reason: finish }];
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({ ...answer, object: "chat.completion", choices, usage }));
}

function sendStream(response, { answer, said, finish }) {
  const part = (delta, reason) => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    return `data: ${JSON.stringify({ ...answer, object: "chat.completion.chunk", choices })}\n\n`;
  };
  const counted = { ...answer, object: "chat.completion.chunk", choices: [], usage };
  response.setHeader("Content-Type", "text/event-stream");
  const parts = [part({ role: "assistant", ...said }, null), part({}, finish)];
  response.end(`${parts.join("")}data: ${JSON.stringify(counted)}\n\ndata: [DONE]\n\n`);
}
