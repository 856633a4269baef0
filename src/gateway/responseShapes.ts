import { isDeepStrictEqual } from "node:util";
import { isObject } from "../std/isObject.ts";
import type { GatewayRecord } from "./records.ts";

/** The fields that a node leaves out of records of one class; or that it shows such records in another way than we can. */
type Form = { readonly omitted: ReadonlySet<string>; readonly learned: number } | { readonly foreign: number };

/** Milliseconds for which a form counts as known: a node may be updated. */
export const SHAPE_LIFETIME = 600_000;

/**
 * How a node spells records. Of what repeats something else (the time of a block in each of its logs, the parity beside `v`)
 * the index does not know whether the node shows it. So the first record of each class is asked of the node, and what it
 * leaves out is left out of the others. Where it shows something that the index has not, that class stays the node's.
 */
export class ResponseShapes {
  readonly #shapes = new Map<string, Form>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The record as the node would show it; undefined where that is not known, or cannot be done. */
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

  /** Whether the node shows such records in a way that cannot be followed. */
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

  /** Learns from what the node answered for a record; answers whether it can be presented from now on. */
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

  /** As geth shows it, for when no node can be asked how it does. */
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

/** After a reorganisation node and index may have another block for a while, which says nothing of their shapes. */
function isOfOneBlock({ fields }: GatewayRecord, answered: Readonly<Record<string, unknown>>): boolean {
  return ["hash", "blockHash"].every((name) => fields[name] === answered[name] || answered[name] === undefined);
}

function keyOf(record: GatewayRecord): string {
  return `${record.kind}: ${record.class}`;
}
