import type { TSchema, Type as TypeBox } from "typebox";

type Builders =
  | "Array"
  | "Boolean"
  | "Enum"
  | "Integer"
  | "Intersect"
  | "Literal"
  | "Null"
  | "Number"
  | "Object"
  | "Optional"
  | "Record"
  | "String"
  | "Union"
  | "Unknown"
  | "Unsafe";

type Options = Readonly<Record<string, unknown>>;

const optional = new WeakSet<object>();

/**
 * TypeBox's builders of JSON Schema, typed by TypeBox. The package itself has 370 modules, a sixth of all that a start loads,
 * for a type system of which the documents need none at run time.
 */
export const Type = {
  Array: (items: TSchema, options?: Options) => ({ type: "array", items, ...options }),
  Boolean: (options?: Options) => ({ type: "boolean", ...options }),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: values, ...options }),
  Integer: (options?: Options) => ({ type: "integer", ...options }),
  Intersect: (allOf: readonly TSchema[], options?: Options) => ({ allOf, ...options }),
  Literal: (value: string | number | boolean, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Options) => ({ type: "null", ...options }),
  Number: (options?: Options) => ({ type: "number", ...options }),
  Object: (properties: Readonly<Record<string, TSchema>>, options?: Options) => {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name]!));
    return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
  },
  /** A copy of it with other fields is not optional. */
  Optional: (schema: TSchema) => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  Record: (_key: TSchema, value: TSchema, options?: Options) => ({
    type: "object",
    patternProperties: { "^.*$": value },
    ...options,
  }),
  String: (options?: Options) => ({ type: "string", ...options }),
  Union: (anyOf: readonly TSchema[], options?: Options) => ({ anyOf, ...options }),
  Unknown: (options?: Options) => ({ ...options }),
  Unsafe: (schema: TSchema) => schema,
} as unknown as Pick<typeof TypeBox, Builders>;
