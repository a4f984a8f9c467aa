import { codexFixture } from "./codex.ts";
import { testConformance } from "./suite.ts";

testConformance(codexFixture);
