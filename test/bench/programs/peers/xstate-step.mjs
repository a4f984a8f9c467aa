// A chain of promise actors in one machine: microseconds per step.
import { load, printWarmFigure } from "./load.mjs";

const { assign, createActor, fromPromise, setup, toPromise } = await load("xstate");
const count = Number(process.argv[2] ?? 5000);

const machine = setup({ actors: { work: fromPromise(async ({ input }) => input) } }).createMachine({
  context: { step: 0 },
  initial: "working",
  states: {
    working: {
      invoke: {
        src: "work",
        input: ({ context }) => context.step,
        onDone: [
          { guard: ({ context }) => context.step + 1 >= count, target: "done" },
          {
            target: "working",
            reenter: true,
            actions: assign({ step: ({ context }) => context.step + 1 }),
          },
        ],
      },
    },
    done: { type: "final" },
  },
});
await printWarmFigure(1000 / count, () => toPromise(createActor(machine).start()));
