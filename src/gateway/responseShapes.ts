import { isDeepStrictEqual } from "node:util";
import { isObject } from "../std/values.ts";
import type { GatewayRecord } from "./records.ts";

/** Fields that a node omits from records of a class, or that its format cannot be reproduced. */
type Form = { readonly omitted: ReadonlySet<string>; readonly learned: number } | { readonly foreign: number };

/** Milliseconds until a shape is learned again, since the node may be updated. */
export const SHAPE_LIFETIME = 600_000;

/**
 * Learns which fields a node shows. The index cannot know whether a node includes redundant fields (the block's
 * timestamp in each log, `yParity` beside `v`), so the first record of each class is fetched from the node and its
 * omissions are applied to all others. A class with fields that the index lacks is always forwarded.
 */
export class ResponseShapes {
  readonly #shapes = new Map<string, Form>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Undefined if the shape is unknown or cannot be reproduced. */
  present(record: GatewayRecord): Record<string, unknown> | undefined {
    const form = this.#known(record);
    if (form === undefined || "foreign" in form) return undefined;
    const { listed } = record;
    const fields = { ...record.fields };
    for (const name of form.omitted) delete fields[name];
    if (listed === undefined) return fields;
    const items = this.presentEach(listed.records);
    return items && { ...fields, [listed.field]: items };
  }

  /** Whether the node's format cannot be reproduced. */
  isForeign(record: GatewayRecord): boolean {
    const form = this.#known(record);
    return form !== undefined && "foreign" in form;
  }

  presentEach(records: readonly GatewayRecord[]): Record<string, unknown>[] | undefined {
    const items: Record<string, unknown>[] = [];
    for (const record of records) {
      const presented = this.present(record);
      if (presented === undefined) return undefined;
      items.push(presented);
    }
    return items;
  }

  /** Learns from the node's record. Returns whether the class can be presented now. */
  observe(record: GatewayRecord, answered: unknown): boolean {
    if (!isObject(answered) || !isOfOneBlock(record, answered)) return false;
    const { fields, listed } = record;
    const shown = listed && answered[listed.field];
    const isSame = listed === undefined || (Array.isArray(shown) && shown.length === listed.records.length);
    const others = Object.keys(answered).filter((name) => name !== listed?.field);
    const isKnown = isSame && others.every((name) => isDeepStrictEqual(fields[name], answered[name]));
    const names = Object.keys(fields).filter((name) => !Object.hasOwn(answered, name));
    const now = this.#now();
    this.#shapes.set(keyOf(record), isKnown ? { omitted: new Set(names), learned: now } : { foreign: now });
    if (!isKnown) return false;
    return listed?.records.map((item, at) => this.observe(item, (shown as unknown[])[at])).every(Boolean) ?? true;
  }

  /** geth's field selection, for when no node is reachable. */
  presentAsGeth({ kind, fields, listed }: GatewayRecord): Record<string, unknown> {
    if (listed === undefined) return fields;
    const record = { ...fields, [listed.field]: listed.records.map((item) => this.presentAsGeth(item)) };
    if (kind.startsWith("receipt")) delete record.blockTimestamp;
    return record;
  }

  #known(record: GatewayRecord): Form | undefined {
    const form = this.#shapes.get(keyOf(record));
    if (form === undefined) return undefined;
    const age = this.#now() - ("foreign" in form ? form.foreign : form.learned);
    return age > SHAPE_LIFETIME ? undefined : form;
  }
}

/** After a reorg, node and index may briefly have different blocks, which does not indicate a shape. */
function isOfOneBlock({ fields }: GatewayRecord, answered: Readonly<Record<string, unknown>>): boolean {
  return ["hash", "blockHash"].every((name) => fields[name] === answered[name] || answered[name] === undefined);
}

function keyOf(record: GatewayRecord): string {
  return `${record.kind}: ${record.class}`;
}
