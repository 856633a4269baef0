/** A value that has to be there; throws where it is not, which is a defect of this program. */
export function defined<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new Error("a value is missing that has to be there");
  return value;
}

/** The item at an index within a list; throws where it is not within. */
export function itemAt<T>(list: ArrayLike<T>, index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`there is no item ${index} in a list of ${list.length}`);
  return item;
}
