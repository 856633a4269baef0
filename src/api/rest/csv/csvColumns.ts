import type { JsonSchema } from "../../openapi/document.ts";
import type { Item } from "./fieldReaders.ts";
import { address, field, nested } from "./fieldReaders.ts";

/** Name and accessor. */
export interface CsvColumn {
  readonly name: string;
  readonly read: (item: Item) => unknown;
}

/** Columns of a record: its fields, with nested records flattened. An address is one column. */
export function columnsOf(schema: JsonSchema): CsvColumn[] {
  const columns = new Map<string, CsvColumn>();
  for (const { properties = {} } of variantsOf(schema)) {
    for (const [name, field] of Object.entries(properties)) {
      for (const column of columnsOfField(name, field)) columns.set(column.name, column);
    }
  }
  return [...columns.values()];
}

/** Variants of a union. */
function variantsOf(schema: JsonSchema): JsonSchema[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(variantsOf);
  return schema.properties === undefined ? [] : [schema];
}

function columnsOfField(name: string, schema: JsonSchema): CsvColumn[] {
  const variants = variantsOf(schema);
  if (variants.length === 0) return [{ name, read: field(name) }];
  if (variants.every(({ title }) => title === "Address")) return [{ name, read: address(name) }];
  const inner = new Set(variants.flatMap(({ properties = {} }) => Object.keys(properties)));
  return [...inner].map((each) => ({ name: `${name}.${each}`, read: nested(name, each) }));
}

/** The timestamp field, if there is one. */
export function timeFieldOf(schema: JsonSchema): string | undefined {
  return ["timestamp", "block_timestamp"].find((name) => schema.properties?.[name] !== undefined);
}
