import { createServer } from "node:http";
import { page } from "./page.mjs";
import { readSettings } from "./settings.mjs";

/** The server of the news. */
export function createNews() {
  return createServer((request, response) => {
    try {
      response.end(page("News", readSettings(request.headers.cookie)));
    } catch {
      response.statusCode = 500;
      response.end();
    }
  });
}
