import { isRecord } from "../../../foundation/json.ts";
import type { JsonPath } from "./json-path.ts";
import { type SchemaObject, schemaParts } from "./schema-parts.ts";

/** A schema of a document, with where it lies. */
export interface LocatedSchema {
  readonly schema: unknown;
  readonly path: JsonPath;
}

/** What a reference leads to. */
export interface FoundSchema {
  readonly schema: SchemaObject | boolean;
  /** Base address of the resource that it belongs to. */
  readonly base: string;
  /** The name of the dynamic anchor that was followed, if it was one. */
  readonly dynamicName: string | undefined;
}

/** A reference's target, or why there is none. */
export type Resolution =
  | { readonly status: "found"; readonly found: FoundSchema }
  | { readonly status: "outside" | "missing" };

/** The schemas of one document by the addresses that refer to them. Nothing outside of it is ever looked for. */
export interface SchemaResources {
  /** Every schema, the outer ones first. */
  readonly located: readonly LocatedSchema[];
  /** The base address of a schema of the document. */
  baseOf(schema: SchemaObject): string;
  resolve(reference: string, base: string): Resolution;
  /** The schema with a dynamic anchor in the resource with this base. */
  dynamicTarget(base: string, name: string): SchemaObject | undefined;
}

interface Place {
  readonly base: string;
  readonly path: JsonPath;
}

interface Resource {
  readonly root: SchemaObject;
  readonly anchors: Map<string, SchemaObject>;
  readonly dynamicNames: Set<string>;
}

/** The base of a document that has no `$id`: it can be the base of relative ones. */
export const OWN_BASE = "json-schema:///";

/** Finds every schema of a document, and the names they have. */
export function findResources(document: unknown): SchemaResources {
  const index = new ResourceIndex();
  index.add(document, { base: OWN_BASE, path: [] });
  return index;
}

class ResourceIndex implements SchemaResources {
  readonly located: LocatedSchema[] = [];
  readonly #resources = new Map<string, Resource>();
  /** By base and reference: reading an address takes longer than all else. */
  readonly #resolutions = new Map<string, Map<string, Resolution>>();
  readonly #places = new Map<SchemaObject, Place>();

  /** Takes in a schema with all that lies in it. */
  add(document: unknown, place: Place): void {
    // Not recursive: the depth of a schema is its writer's choice. The list grows while it is gone through.
    const waiting = [{ ...place, schema: document }];
    for (const { schema, path, base: outerBase } of waiting) {
      this.located.push({ schema, path });
      if (!isRecord(schema) || this.#places.has(schema)) continue;
      const base = this.#enter(schema, { base: outerBase, path });
      for (const part of schemaParts(schema))
        waiting.push({ schema: part.schema, path: [...path, ...part.path], base });
    }
  }

  baseOf(schema: SchemaObject): string {
    return this.#places.get(schema)?.base ?? OWN_BASE;
  }

  resolve(reference: string, base: string): Resolution {
    const known = this.#resolutions.get(base) ?? new Map<string, Resolution>();
    const resolution = known.get(reference) ?? this.#resolve(reference, base);
    this.#resolutions.set(base, known.set(reference, resolution));
    return resolution;
  }

  dynamicTarget(base: string, name: string): SchemaObject | undefined {
    const resource = this.#resources.get(base);
    return resource?.dynamicNames.has(name) ? resource.anchors.get(name) : undefined;
  }

  #resolve(reference: string, base: string): Resolution {
    const address = addressOf(reference, base);
    if (address === undefined) return { status: "missing" };
    const resource = this.#resources.get(address.base);
    if (resource === undefined) return { status: "outside" };
    const found = this.#find(resource, address);
    return found === undefined ? { status: "missing" } : { status: "found", found };
  }

  #enter(schema: SchemaObject, { base: outerBase, path }: Place): string {
    const { $id: id, $anchor: anchor, $dynamicAnchor: dynamicAnchor } = schema;
    const base = (typeof id === "string" ? addressOf(id, outerBase)?.base : undefined) ?? outerBase;
    this.#places.set(schema, { base, path });
    if (!this.#resources.has(base))
      this.#resources.set(base, { root: schema, anchors: new Map(), dynamicNames: new Set() });
    const resource = this.#resources.get(base);
    if (typeof anchor === "string") resource?.anchors.set(anchor, schema);
    if (typeof dynamicAnchor === "string") {
      resource?.anchors.set(dynamicAnchor, schema);
      resource?.dynamicNames.add(dynamicAnchor);
    }
    return base;
  }

  #find(resource: Resource, { base, fragment }: Address): FoundSchema | undefined {
    if (fragment === "") return { schema: resource.root, base, dynamicName: undefined };
    if (fragment.startsWith("/")) return this.#follow(resource.root, base, fragment);
    const schema = resource.anchors.get(fragment);
    if (schema === undefined) return undefined;
    const dynamicName = resource.dynamicNames.has(fragment) ? fragment : undefined;
    return { schema, base, dynamicName };
  }

  #follow(root: SchemaObject, outerBase: string, pointer: string): FoundSchema | undefined {
    let place: Place = { base: outerBase, path: this.#places.get(root)?.path ?? [] };
    let value: unknown = root;
    for (const part of pointer.slice(1).split("/")) {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      place = { ...place, path: [...place.path, Array.isArray(value) ? Number(name) : name] };
      value = memberOf(value, name);
      if (isRecord(value)) place = this.#places.get(value) ?? place;
    }
    if (typeof value === "boolean")
      return { schema: value, base: place.base, dynamicName: undefined };
    if (!isRecord(value)) return undefined;
    // What stands under an unknown word becomes a schema by being referred to.
    if (!this.#places.has(value)) this.add(value, place);
    return { schema: value, base: this.baseOf(value), dynamicName: undefined };
  }
}

interface Address {
  readonly base: string;
  readonly fragment: string;
}

function addressOf(reference: string, base: string): Address | undefined {
  if (!URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
  const fragment = decoded(url.hash.slice(1));
  url.hash = "";
  return fragment === undefined ? undefined : { base: url.href, fragment };
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined;
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
