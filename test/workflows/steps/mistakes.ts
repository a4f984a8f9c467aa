/** A step workflow with these lines of steps. */
export const head = (...lines: readonly string[]) => `id: f\nsteps:\n${lines.join("\n")}\n`;
/** What makes a step one that needs nothing. */
export const PLAIN = "type: transform, transform: input";

/** Step workflows with mistakes, and what is told of them: `CODE line:column` and what is marked there. */
export const MISTAKES: readonly (readonly [
  name: string,
  text: string,
  problems: readonly string[],
])[] = [
  // Keys and values
  [
    "a key in camelCase",
    head(`  - { id: a, ${PLAIN}, maxRetries: 2 }`),
    ["WORKFLOW_UNKNOWN_KEY 3:49 maxRetries"],
  ],
  ["a misspelt key", head(`  - { id: a, ${PLAIN}, nxt: a }`), ["WORKFLOW_UNKNOWN_KEY 3:49 nxt"]],
  [
    "a key of another type",
    head(`  - { id: a, ${PLAIN}, agent: x }`),
    ["WORKFLOW_UNKNOWN_KEY 3:49 agent"],
  ],
  [
    "next on a step that goes on by its own routes",
    head(
      `  - { id: a, type: condition, condition: input, then: b, next: b }`,
      `  - { id: b, ${PLAIN} }`,
    ),
    ["WORKFLOW_UNKNOWN_KEY 3:58 next"],
  ],
  [
    "an unknown key at the top",
    `id: f\nmaxIterations: 3\nsteps: [{ id: a, ${PLAIN} }]\n`,
    ["WORKFLOW_UNKNOWN_KEY 2:1 maxIterations"],
  ],
  [
    "a name in place of an id",
    `name: f\nsteps: [{ id: a, ${PLAIN} }]\n`,
    ["WORKFLOW_MISSING_KEY 1:1 name", "WORKFLOW_UNKNOWN_KEY 1:1 name"],
  ],
  [
    "no step",
    "id: f\nsteps: [{ type: transform, transform: input }]\n",
    ["WORKFLOW_MISSING_KEY 2:11 type"],
  ],
  ["a missing own key", head("  - { id: a, type: transform }"), ["WORKFLOW_MISSING_KEY 3:11 a"]],
  [
    "an own key of another kind",
    head("  - { id: a, type: transform, transform: 3 }"),
    ["WORKFLOW_TYPE 3:42 3"],
  ],
  [
    "a timeout with a unit",
    head(`  - { id: a, ${PLAIN}, timeout_ms: 10s }`),
    ["WORKFLOW_TYPE 3:61 10s"],
  ],
  [
    "a timeout of nothing",
    head(`  - { id: a, ${PLAIN}, timeout_ms: 0 }`),
    ["WORKFLOW_VALUE 3:61 0"],
  ],
  [
    "a delay that is too long",
    head(`  - { id: a, ${PLAIN}, retry_delay_ms: 300001 }`),
    ["WORKFLOW_VALUE 3:65 300001"],
  ],
  [
    "attempts without end",
    head(`  - { id: a, ${PLAIN}, max_attempts: 101 }`),
    ["WORKFLOW_VALUE 3:63 101"],
  ],
  [
    "both words for attempts",
    head(`  - { id: a, ${PLAIN}, max_retries: 2, max_attempts: 2 }`),
    ["WORKFLOW_VALUE 3:49 max_retries"],
  ],
  ["a step that is no object", head("  - a", `  - { id: b, ${PLAIN} }`), ["WORKFLOW_TYPE 3:5 a"]],
  [
    "an empty list of steps inside",
    head("  - { id: a, type: parallel, steps: [] }"),
    ["WORKFLOW_VALUE 3:11 a", "WORKFLOW_VALUE 3:37 []"],
  ],
  [
    "limits of nothing",
    `id: f\nmax_iterations: 0\nmax_errors: 0\nsteps: [{ id: a, ${PLAIN} }]\n`,
    ["WORKFLOW_VALUE 2:17 0", "WORKFLOW_VALUE 3:13 0"],
  ],
  [
    "a word that is no truth",
    `id: f\nparallel: yes please\nsteps: [{ id: a, ${PLAIN} }]\n`,
    ["WORKFLOW_TYPE 2:11 yes please"],
  ],
  // Ids
  ["an id that cannot be one", head(`  - { id: "a b", ${PLAIN} }`), ['WORKFLOW_ID 3:11 "a b"']],
  [
    "a workflow id that cannot be one",
    `id: "1"\nsteps: [{ id: a, ${PLAIN} }]\n`,
    ['WORKFLOW_ID 1:5 "1"'],
  ],
  ["an id of a text's kind", head(`  - { id: 7, ${PLAIN} }`), ["WORKFLOW_TYPE 3:11 7"]],
  [
    "a reserved id",
    head(`  - { id: context, ${PLAIN} }`),
    ["WORKFLOW_RESERVED_STEP_ID 3:11 context"],
  ],
  [
    "a reserved output",
    head(`  - { id: a, ${PLAIN}, output: item }`),
    ["WORKFLOW_RESERVED_STEP_ID 3:57 item"],
  ],
  [
    "an id that is there twice, once inside of another step",
    head(
      "  - id: a",
      "    type: parallel",
      `    steps: [{ id: b, ${PLAIN} }, { id: a, ${PLAIN} }]`,
    ),
    ["WORKFLOW_DUPLICATE_ID 5:65 a"],
  ],
  [
    "an output that is the id of another step",
    head(`  - { id: a, ${PLAIN}, next: b }`, `  - { id: b, ${PLAIN}, output: a }`),
    ["WORKFLOW_DUPLICATE_ID 4:57 a"],
  ],
  // Types and nesting
  [
    "an unknown type",
    head("  - { id: a, type: agnt, agent: x }"),
    ["WORKFLOW_UNKNOWN_STEP_TYPE 3:20 agnt"],
  ],
  [
    "a step without a type",
    head(`  - { id: a, ${PLAIN}, next: b }`, "  - { id: b, agent: x }"),
    ["WORKFLOW_MISSING_KEY 4:11 b"],
  ],
  [
    "a route inside of another step",
    head(
      "  - id: a",
      "    type: parallel",
      `    steps: [{ id: b, ${PLAIN}, next: a, on_error: a }]`,
    ),
    ["WORKFLOW_NESTED_ROUTE 5:57 next", "WORKFLOW_NESTED_ROUTE 5:66 on_error"],
  ],
  [
    "a step to go on with in a setting inside of another step",
    head(
      "  - id: a",
      "    type: parallel",
      "    steps: [{ id: b, type: approval, on_timeout: a }]",
    ),
    ["WORKFLOW_NESTED_ROUTE 5:38 on_timeout"],
  ],
  [
    "a condition inside of another step",
    head(
      "  - id: a",
      "    type: parallel",
      "    steps: [{ id: b, type: condition, condition: input, then: a }]",
    ),
    ["WORKFLOW_STEP_NOT_NESTED 5:28 condition", "WORKFLOW_NESTED_ROUTE 5:57 then"],
  ],
  [
    "both ways to write steps inside",
    head(
      `  - { id: a, type: parallel, for_each: input, steps: [{ id: b, ${PLAIN} }], step: { id: c, ${PLAIN} } }`,
    ),
    ["WORKFLOW_VALUE 3:102 step"],
  ],
  [
    "steps where there are none",
    head(`  - { id: a, ${PLAIN}, steps: [{ id: b, ${PLAIN} }] }`),
    ["WORKFLOW_UNKNOWN_KEY 3:49 steps"],
  ],
  [
    "what the type itself finds",
    head("  - { id: a, type: condition, condition: input }"),
    ["WORKFLOW_VALUE 3:11 a"],
  ],
  [
    "what the type finds at a key",
    head(`  - { id: a, type: parallel, min_success: 99, steps: [{ id: b, ${PLAIN} }] }`),
    ["WORKFLOW_VALUE 3:43 99"],
  ],
  [
    "too many levels",
    head(`  - ${"{ id: p, type: parallel, step: ".repeat(9)}{ id: z, ${PLAIN} }${" }".repeat(9)}`),
    [
      ...Array.from({ length: 7 }, (_, index) => `WORKFLOW_DUPLICATE_ID 3:${42 + index * 31} p`),
      "WORKFLOW_STEPS_EXCESS 3:253 {",
    ],
  ],
  // Routes
  [
    "a route to nothing",
    head(`  - { id: plan, ${PLAIN}, next: paln }`),
    ["WORKFLOW_UNKNOWN_STEP 3:58 paln"],
  ],
  [
    "every route to nothing",
    head("  - { id: a, type: approval, on_approve: x, on_reject: y, on_error: z, on_timeout: w }"),
    [
      "WORKFLOW_UNKNOWN_STEP 3:42 x",
      "WORKFLOW_UNKNOWN_STEP 3:56 y",
      "WORKFLOW_UNKNOWN_STEP 3:69 z",
      "WORKFLOW_UNKNOWN_STEP 3:84 w",
    ],
  ],
  [
    "a route into another step",
    head(
      `  - { id: a, ${PLAIN}, next: c }`,
      "  - id: b",
      "    type: parallel",
      `    steps: [{ id: c, ${PLAIN} }]`,
    ),
    ["WORKFLOW_ROUTE_INTO_STEP 3:55 c", "~WORKFLOW_UNREACHABLE_STEP 4:9 b"],
  ],
  [
    "a step that nothing leads to",
    head(`  - { id: a, ${PLAIN} }`, `  - { id: b, ${PLAIN} }`),
    ["~WORKFLOW_UNREACHABLE_STEP 4:11 b"],
  ],
  [
    "a cycle that nobody enters in a parallel workflow",
    `id: f\nparallel: true\nsteps:\n  - { id: a, ${PLAIN} }\n  - { id: b, ${PLAIN}, next: b }\n`,
    ["~WORKFLOW_UNREACHABLE_STEP 5:11 b"],
  ],
  [
    "a cycle without a way out",
    head(`  - { id: a, ${PLAIN}, next: b, on_error: b }`, `  - { id: b, ${PLAIN}, next: a }`),
    ["~WORKFLOW_ENDLESS_CYCLE 3:11 a"],
  ],
  [
    "a cycle that a condition leaves",
    head(
      `  - { id: a, ${PLAIN}, next: b }`,
      "  - { id: b, type: condition, condition: input, then: a }",
    ),
    [],
  ],
  [
    "a cycle that on_error leaves",
    head(`  - { id: a, ${PLAIN}, next: a, on_error: b }`, `  - { id: b, ${PLAIN} }`),
    [],
  ],
  // Expressions
  [
    "an expression that cannot be read",
    head("  - { id: a, type: transform, transform: 'input ==' }"),
    ["EXPRESSION_SYNTAX 3:42 'input =='"],
  ],
  [
    "an unknown function",
    head("  - { id: a, type: transform, transform: 'len(input)' }"),
    ["EXPRESSION_UNKNOWN_FUNCTION 3:43 len"],
  ],
  [
    "a bad regular expression",
    head(`  - { id: a, type: transform, transform: 'matches(input, "(")' }`),
    ['EXPRESSION_REGEX 3:58 "("'],
  ],
  [
    "a word that is no path",
    head("  - { id: a, type: transform, transform: 'input == done' }"),
    ["EXPRESSION_UNKNOWN_PATH 3:52 done"],
  ],
  [
    "a condition of a step that does not exist",
    head(`  - { id: plan, ${PLAIN}, when: context.paln.success }`),
    ["WORKFLOW_UNKNOWN_CONTEXT 3:58 context.paln.success"],
  ],
  [
    "errors of a step that does not exist",
    head(`  - { id: plan, ${PLAIN}, when: exists(errors.paln) }`),
    ["WORKFLOW_UNKNOWN_STEP 3:65 errors.paln"],
  ],
  [
    "item where nothing is repeated",
    head("  - { id: a, type: transform, transform: item }"),
    ["EXPRESSION_UNKNOWN_PATH 3:42 item"],
  ],
  [
    "the name of an input that this step does not take",
    head(
      `  - { id: plan, ${PLAIN}, next: b }`,
      "  - { id: b, type: transform, transform: plan.files }",
    ),
    ["EXPRESSION_UNKNOWN_PATH 4:42 plan.files"],
  ],
  [
    "a step that certainly comes later",
    head(
      `  - { id: a, type: transform, transform: context.b.x, next: b }`,
      `  - { id: b, ${PLAIN} }`,
    ),
    ["~WORKFLOW_NEVER_BEFORE 3:42 context.b.x"],
  ],
  [
    "a step that looks at itself",
    head("  - { id: a, type: transform, transform: context.a }"),
    ["~WORKFLOW_NEVER_BEFORE 3:42 context.a"],
  ],
  // Templates
  [
    "a template that cannot be read",
    head('  - { id: a, type: agent, agent: x, prompt: "do {{#if input}} it" }'),
    ["WORKFLOW_TEMPLATE_SYNTAX 3:49 {{#if input}}"],
  ],
  [
    "a variable of pattern workflows",
    head('  - { id: a, type: agent, agent: x, prompt: "do {{task}}" }'),
    ["WORKFLOW_UNKNOWN_VARIABLE 3:49 {{task}}"],
  ],
  [
    "a step that is not there, asked for in a block",
    head('  - { id: a, type: agent, agent: x, prompt: "{{#if context.aa}}x{{/if}}" }'),
    ["WORKFLOW_UNKNOWN_CONTEXT 3:46 {{#if context.aa}}"],
  ],
  [
    "a variable in an object of texts",
    head("  - { id: a, type: shell, command: [echo, '{{inputs}}'], env: { A: '{{imput}}' } }"),
    ["WORKFLOW_UNKNOWN_VARIABLE 3:44 {{inputs}}", "WORKFLOW_UNKNOWN_VARIABLE 3:69 {{imput}}"],
  ],
  [
    "a variable in a check",
    head(`  - { id: a, ${PLAIN}, verify: [{ command: "test {{contxt}}" }] }`),
    ["WORKFLOW_UNKNOWN_VARIABLE 3:75 {{contxt}}"],
  ],
  [
    "a bad name of the channel",
    `id: f\noptions: { channel: "x-{{input}}" }\nsteps: [{ id: a, ${PLAIN} }]\n`,
    ["WORKFLOW_UNKNOWN_VARIABLE 2:24 {{input}}"],
  ],
  // input
  [
    "an input that names nothing",
    head(`  - { id: plan, ${PLAIN}, next: b }`, `  - { id: b, ${PLAIN}, input: plam }`),
    ["WORKFLOW_UNKNOWN_CONTEXT 4:56 plam"],
  ],
  [
    "a reserved input",
    head(`  - { id: a, ${PLAIN}, input: input }`),
    ["WORKFLOW_RESERVED_STEP_ID 3:56 input"],
  ],
  [
    "an input that comes later",
    head(`  - { id: a, ${PLAIN}, input: b, next: b }`, `  - { id: b, ${PLAIN} }`),
    ["~WORKFLOW_NEVER_BEFORE 3:56 b"],
  ],
  // parallel: true
  [
    "paths that wait for each other",
    "id: f\nparallel: true\nsteps:\n  - { id: a, type: transform, transform: context.b }\n  - { id: b, type: transform, transform: context.a }\n",
    ["WORKFLOW_REFERENCE_CYCLE 4:11 a"],
  ],
  // Agents, verify and budgets, as in pattern workflows but in snake_case
  [
    "an agent's key in camelCase",
    `id: f\nagents: { x: { permissionMode: plan } }\nsteps: [{ id: a, type: agent, agent: x }]\n`,
    ["WORKFLOW_UNKNOWN_KEY 2:16 permissionMode"],
  ],
  [
    "an agent's key in camelCase further down",
    `id: f\nagents: [{ id: x, constraints: { fileScope: { include: [a] } } }]\nsteps: [{ id: a, type: agent, agent: x }]\n`,
    ["WORKFLOW_UNKNOWN_KEY 2:34 fileScope"],
  ],
  [
    "an agent that no step uses",
    `id: f\nagents: { x: {} }\nsteps: [{ id: a, ${PLAIN} }]\n`,
    ["~WORKFLOW_UNUSED_AGENT 2:11 x"],
  ],
  [
    "an agent that reports to nobody",
    "id: f\nagents: { x: { reports_to: y } }\nsteps: [{ id: a, type: agent, agent: x }]\n",
    ["WORKFLOW_UNKNOWN_AGENT 2:28 y"],
  ],
  [
    "an unknown backend, and a directory outside",
    `id: f\nagents: { x: { backend: cluade, cwd: ../.. } }\nsteps: [{ id: a, type: agent, agent: x }]\n`,
    ["WORKFLOW_UNKNOWN_BACKEND 2:25 cluade", "WORKFLOW_PATH_OUTSIDE 2:38 ../.."],
  ],
  [
    "a pattern of files that leads out",
    `id: f\nagents: { x: { constraints: { file_scope: { include: [../x] } } } }\nsteps: [{ id: a, type: agent, agent: x }]\n`,
    ["WORKFLOW_VALUE 2:55 ../x"],
  ],
  [
    "durations that are none",
    `id: f\nbudget: { wall_clock: soon }\nagents: { x: { idle_timeout: 5 minutes } }\nsteps: [{ id: a, type: agent, agent: x }]\n`,
    ["WORKFLOW_DURATION 2:23 soon", "WORKFLOW_DURATION 3:30 5 minutes"],
  ],
  [
    "a check in camelCase",
    head(`  - { id: a, ${PLAIN}, verify: [{ fileExists: x }] }`),
    ["WORKFLOW_UNKNOWN_KEY 3:60 fileExists"],
  ],
  [
    "two checks in one",
    head(`  - { id: a, ${PLAIN}, verify: [{ command: x, git_changed: true }] }`),
    ["WORKFLOW_VALUE 3:72 git_changed"],
  ],
  [
    "a budget that limits nothing",
    head(`  - { id: a, ${PLAIN}, budget: { soft: 0.5 } }`),
    ["WORKFLOW_VALUE 3:49 budget"],
  ],
  [
    "an agent's variable that only steps have",
    `id: f\nagents: { x: { system_prompt: "{{context.a}} {{task}}" } }\nsteps: [{ id: a, type: agent, agent: x }]\n`,
    ["WORKFLOW_NOT_UPSTREAM 2:32 {{context.a}}", "WORKFLOW_UNKNOWN_VARIABLE 2:46 {{task}}"],
  ],
  [
    "an agent with a name that is none",
    head('  - { id: a, type: agent, agent: "a b" }'),
    ['WORKFLOW_ID 3:34 "a b"'],
  ],
  [
    "an agent with a reserved name",
    head("  - { id: a, type: agent, agent: user }"),
    ["WORKFLOW_RESERVED_ID 3:34 user"],
  ],
  // Other workflows
  [
    "a workflow that is nowhere",
    head("  - { id: a, type: workflow, file: nowhere.yaml }"),
    ["WORKFLOW_CHILD_INVALID 3:36 nowhere.yaml"],
  ],
  [
    "a workflow outside of the project",
    head("  - { id: a, type: workflow, file: ../../x.yaml }"),
    ["WORKFLOW_PATH_OUTSIDE 3:36 ../../x.yaml"],
  ],
  [
    "a workflow of no registry",
    head('  - { id: a, type: agent, agent: "workflow:build" }'),
    ['WORKFLOW_UNKNOWN_WORKFLOW 3:34 "workflow:build"'],
  ],
];
