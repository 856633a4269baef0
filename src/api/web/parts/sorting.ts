import type { Column } from "./table.ts";

/** A list whose columns sort it: by the one asked for, and back by asking again. */
export interface SortedList {
  readonly path: string;
  /** Parameters that stay. */
  readonly given: Readonly<Record<string, string>>;
  readonly sort: string;
  readonly order: "asc" | "desc";
}

export function sortable(name: string, { path, given, sort, order }: SortedList): Pick<Column, "sort"> {
  const isCurrent = name === sort;
  const next = isCurrent && order === "desc" ? "asc" : "desc";
  const query = new URLSearchParams({ ...given, sort: name, ...(next === "asc" && { order: next }) });
  return { sort: { path: `${path}?${query}`, order: isCurrent ? order : undefined } };
}
