import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type InLayer,
  type LayerWire,
  layersOf,
  orderLayers,
} from "../../src/foundation/graph-layers.ts";

// Eight layers of twelve items with many wires: in smaller ones no sweep makes anything worse.
const anyLayers = fc
  .array(fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { minLength: 16, maxLength: 20 }), {
    minLength: 7,
    maxLength: 7,
  })
  .map((wires) => {
    const layers = Array.from({ length: wires.length + 1 }, () =>
      Array.from({ length: 12 }, (_, index): InLayer => ({ index })),
    );
    const channels = wires.map((pairs, layer) =>
      pairs.flatMap(([source, target]): readonly LayerWire<InLayer>[] => {
        const [from, to] = [layers[layer]?.[source], layers[layer + 1]?.[target]];
        return from === undefined || to === undefined ? [] : [{ from, to }];
      }),
    );
    return { layers, channels };
  });

/** Crossings counted pair by pair. */
function crossingsOf(channels: readonly (readonly LayerWire<InLayer>[])[]): number {
  const isCrossing = (one: LayerWire<InLayer>, other: LayerWire<InLayer>) =>
    one.from.index < other.from.index && one.to.index > other.to.index;
  return channels
    .flatMap((channel) => channel.flatMap((one) => channel.map((other) => isCrossing(one, other))))
    .filter(Boolean).length;
}

test("layers are ordered so that no more wires cross than before, and the crossings left are told", () => {
  fc.assert(
    fc.property(anyLayers, ({ layers, channels }) => {
      const before = crossingsOf(channels);
      const items = layers.map((layer) => new Set(layer));
      const left = orderLayers(layers, channels);
      expect(left).toBe(crossingsOf(channels));
      expect(orderLayers(layers, channels)).toBeLessThanOrEqual(left);
      expect(left).toBeLessThanOrEqual(before);
      expect(layers.map((layer) => new Set(layer))).toEqual(items);
      for (const layer of layers)
        expect(layer.map(({ index }) => index)).toEqual([...layer.keys()]);
    }),
    { numRuns: 60 },
  );
});

test("a node stands one layer after the last of what comes before it", () => {
  const links = [
    { from: "a", to: "b" },
    { from: "b", to: "c" },
    { from: "a", to: "c" },
    { from: "nowhere", to: "a" },
  ];
  expect([...layersOf(["c", "b", "a"], links)]).toEqual([
    ["c", 2],
    ["b", 1],
    ["a", 0],
  ]);
});

test("sweeps in both directions untangle most wires that cross", () => {
  const layers = Array.from({ length: 8 }, () =>
    Array.from({ length: 12 }, (_, index): InLayer => ({ index })),
  );
  const channels = layers.slice(1).map((next, layer) =>
    Array.from({ length: 18 }, (_, wire): LayerWire<InLayer> => {
      const target = (wire * 5 + layer * 3 + Math.floor(wire / 12) * 7) % 12;
      const [from, to] = [layers[layer]?.[wire % 12], next[target]];
      if (from === undefined || to === undefined) throw new Error("there is no such item");
      return { from, to };
    }),
  );
  expect(crossingsOf(channels)).toBe(493);
  expect(orderLayers(layers, channels)).toBe(112);
});

test("what nothing comes before stands in the first layer, also where two ways begin", () => {
  const links = ["a-c", "b-c", "c-d", "b-d"].map((link) => {
    const [from = "", to = ""] = link.split("-");
    return { from, to };
  });
  expect([...layersOf(["d", "c", "b", "a"], links)]).toEqual([
    ["d", 2],
    ["c", 1],
    ["b", 0],
    ["a", 0],
  ]);
});
