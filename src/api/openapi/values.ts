import type { Static, TObject, TProperties, TSchema } from "typebox";
import { Type } from "./type.ts";

/** The immutable result type of a presenter. */
export type Shape<T extends TSchema> = DeepReadonly<Static<T>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** A named record with its own table in the documents. */
export function record<T extends TProperties>(title: string, fields: T): TObject<T> {
  return Type.Object(fields, { title, additionalProperties: false });
}

/** Anonymous fields. */
export function fields<T extends TProperties>(description: string, properties: T): TObject<T> {
  return Type.Object(properties, { description, additionalProperties: false });
}

/** A record as a field of another. */
export function as<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description };
}

export function orNull<T extends TSchema>(schema: T) {
  const { description, ...bare } = schema as TSchema & { description?: string };
  return Type.Union([bare as T, Type.Null()], description === undefined ? {} : { description });
}

/** Null until the feature exists, with the reason. */
export function nullToday(reason: string) {
  return Type.Null({ description: `${NULL_TODAY}${reason}` });
}

/** A count with thousands separators. `toLocaleString` loads the data of ICU, which takes 30 ms of a start. */
export const grouped = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

export const NULL_TODAY = "null today: ";

export const hash = (description: string) => Type.String({ description, pattern: "^0x[0-9a-f]{64}$" });

/** Checksummed (EIP-55). */
export const address = (description: string) => Type.String({ description, pattern: "^0x[0-9a-fA-F]{40}$" });

export const hex = (description: string) => Type.String({ description, pattern: "^0x[0-9a-f]*$" });

/** The format of whole numbers of any size, which JSON numbers cannot hold: clients read them as big integers. */
export const UINT = "uint";

/** Amounts exceed JSON numbers. */
export const decimal = (description: string) =>
  Type.String({ description, format: UINT, pattern: "^(0|[1-9][0-9]*)$" });

/** Decimal fraction as a string. */
export const price = (description: string) =>
  Type.String({ description, pattern: "^(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$" });

export const time = (description: string) =>
  Type.String({ description, pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$" });

export const text = (description: string) => Type.String({ description });

export const count = (description: string) => Type.Integer({ description, minimum: 0 });

export const number = (description: string) => Type.Number({ description });

export const flag = (description: string) => Type.Boolean({ description });

/** A number if exact, else a string. */
export const countOrText = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.String({ format: UINT, pattern: "^[1-9][0-9]*$" })], { description });

export const words = <const T extends string>(choices: readonly T[], description: string) =>
  Type.Enum([...choices], { type: "string", description });

export const always = <const T extends string | number | boolean>(value: T, description: string) =>
  Type.Literal(value, { description });

export const arrayOf = <T extends TSchema>(items: T, description: string) => Type.Array(items, { description });

export const empty = (description: string) => Type.Array(Type.Unknown(), { description, maxItems: 0 });

/** Verbatim from the node. */
export const anything = (description: string) => Type.Object({}, { description });
