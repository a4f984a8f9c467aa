import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { createNews } from "../src/server.mjs";

test("whoever comes for the first time gets the news in letters of normal size", async () => {
  const news = createNews().listen(0, "127.0.0.1");
  await once(news, "listening");
  try {
    const response = await fetch(`http://127.0.0.1:${news.address().port}/`);
    assert.equal(response.status, 200);
    assert.match(await response.text(), /<html data-size="normal"/);
  } finally {
    news.close();
    news.closeAllConnections();
  }
});
