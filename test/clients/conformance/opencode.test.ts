import { opencodeFixture } from "./opencode.ts";
import { testConformance } from "./suite.ts";

testConformance(opencodeFixture);
