import { geminiFixture } from "./gemini.ts";
import { testConformance } from "./suite.ts";

testConformance(geminiFixture);
