import { describe, test } from "vitest";
import { backendConformance } from "../../../src/testing/backend-conformance.ts";
import {
  commandFixture,
  functionFixture,
  humanFixture,
  scriptFixture,
} from "./backend-fixtures.ts";
import { modelFixture, ownModelFixture } from "./model/model-fixture.ts";

const fixtures = {
  script: scriptFixture,
  command: commandFixture,
  function: functionFixture,
  human: humanFixture,
  model: modelFixture,
  "model, somebody's own": ownModelFixture,
};

describe.each(Object.entries(fixtures))("backend %s", (_, createFixture) => {
  test.for(backendConformance)("$name", async ({ needs, run }, { skip }) => {
    const fixture = await createFixture();
    try {
      if (fixture.lacks.has(needs)) skip(`this backend cannot: ${needs}`);
      await run(fixture);
    } finally {
      await fixture.dispose();
    }
  });
});
