/** Location of amounts in a value: the value itself, a record by name, its items or its fields. */
export type Amounts = true | string | readonly [Amounts] | { readonly [field: string]: Amounts };

/** Turns amounts into big integers, in place. */
export function readAmounts(
  value: unknown,
  amounts: Amounts | undefined,
  records: Readonly<Record<string, Amounts>>,
): unknown {
  if (amounts === undefined || value === null) return value;
  // Some amounts of the module/action API may be empty.
  if (amounts === true) return typeof value === "string" && value !== "" ? BigInt(value) : value;
  if (typeof amounts === "string") return readAmounts(value, records[amounts], records);
  if (typeof value !== "object") return value;
  if (isItems(amounts)) {
    const [ofItem] = amounts;
    return Array.isArray(value) ? value.map((item) => readAmounts(item, ofItem, records)) : value;
  }
  const fields = value as Record<string, unknown>;
  for (const [name, ofField] of Object.entries(amounts)) {
    if (fields[name] !== undefined) fields[name] = readAmounts(fields[name], ofField, records);
  }
  return value;
}

const isItems = (amounts: Amounts): amounts is readonly [Amounts] => Array.isArray(amounts);
