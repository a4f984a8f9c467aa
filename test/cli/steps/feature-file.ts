/** Plans, asks a person, builds, tests side by side, and goes back once if the tests fail. */
const FEATURE = `id: feature-dev
description: Plans, builds and checks a feature
agents:
  - { id: planner, backend: script }
  - { id: coder, backend: script }
  - { id: reviewer, backend: script }
initial_context: { style: short }
steps:
  - id: plan
    type: agent
    agent: planner
    prompt: "Plan {{input}}"
    next: approve-plan
  - id: approve-plan
    type: approval
    message: "Build {{context.plan.title}}?"
    next: build
  - id: build
    type: agent
    agent: coder
    prompt: "Build {{context.plan.title}}: {{#each context.plan.files}}[{{this}}]{{/each}}"
    next: tests
  - id: tests
    type: parallel
    next: gate
    steps:
      - { id: unit, type: agent, agent: coder, prompt: "unit tests" }
      - { id: lint, type: agent, agent: coder, prompt: "lint" }
  - id: gate
    type: condition
    condition: context["tests"].success === true
    then: review
    else: build
  - id: review
    type: agent
    agent: reviewer
    prompt: "Review it"
    output: verdict
`;

/** What the agents of it say: the unit tests fail the first time. */
const FEATURE_CASSETTE = `version: 1
agents:
  planner: [{ say: '{"title":"login","files":["a.ts","b.ts"]}' }]
  coder/build: [{ say: "built" }]
  coder/unit: [{ fail: { code: RED, message: "2 tests fail" } }, { say: "green" }]
  coder/lint: [{ say: "clean" }]
  reviewer: [{ say: '{"verdict":"good","notes":[]}' }]
`;

export const FEATURE_FILES = { "feature.yaml": FEATURE, "cassette.yaml": FEATURE_CASSETTE };

/** Arguments that play it. */
export const PLAY = ["--cassette", "cassette.yaml"];
