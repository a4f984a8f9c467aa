/** Colours for light and dark surroundings; every state also has its word, its border and its dashes. */
export const SVG_STYLE = `
svg { --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #8c959f; --box: #f6f8fa; --good: #1a7f37; --bad: #cf222e; --busy: #0969da; --warn: #9a6700; background: var(--paper); font-family: system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --line: #6e7681; --box: #161b22; --good: #3fb950; --bad: #f85149; --busy: #58a6ff; --warn: #d29922; } }
text { fill: var(--ink); font-size: 14px; text-anchor: middle; }
text.details { fill: var(--soft); font-size: 11px; }
.node > .shape { fill: var(--box); stroke: var(--line); stroke-width: 1.5; }
.agent > .shape { stroke-dasharray: 5 3; }
.completed > .shape { stroke: var(--good); stroke-width: 2; }
.failed > .shape { stroke: var(--bad); stroke-width: 3; }
.running > .shape { stroke: var(--busy); stroke-width: 3; }
.retrying > .shape, .waiting > .shape { stroke: var(--warn); stroke-width: 3; stroke-dasharray: 8 3; }
.skipped > .shape { stroke-dasharray: 2 3; }
.blocked > .shape, .cancelled > .shape { stroke: var(--bad); stroke-dasharray: 2 3; }
.edge { fill: none; stroke: var(--line); stroke-width: 1.5; }
.signal { stroke-dasharray: 1 4; stroke-linecap: round; }
.fallback, .escalation, .shadow, .inside { stroke-dasharray: 6 4; }
.head { fill: var(--line); }`.trim();
