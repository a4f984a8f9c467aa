import { claudeFixture } from "./claude.ts";
import { testConformance } from "./suite.ts";

testConformance(claudeFixture);
