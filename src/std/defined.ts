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
