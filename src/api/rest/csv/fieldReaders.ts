export type Item = Readonly<Record<string, unknown>>;

type Read = (item: Item) => unknown;

export const field =
  (name: string): Read =>
  (item) =>
    item[name];

/** Undefined if the outer record is absent. */
export const nested =
  (outer: string, inner: string): Read =>
  (item) =>
    (item[outer] as Item | null | undefined)?.[inner];

export const address = (name: string): Read => nested(name, "hash");

export const errorOf: Read = ({ status, result }) => (status === "error" ? result : "");
