/** Throws if the value is missing: a bug in this program. */
export function defined<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new Error("a value is missing that has to be there");
  return value;
}

/** Throws if the index is out of range. */
export function itemAt<T>(list: ArrayLike<T>, index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`there is no item ${index} in a list of ${list.length}`);
  return item;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

declare const flavour: unique symbol;

/** A nominal type: a value of another flavour is a compile error, a plain value is accepted. No cost at run time. */
export type Flavour<T, F extends string> = T & { readonly [flavour]?: F };
