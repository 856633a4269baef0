import type { Static, TObject, TProperties, TSchema } from "typebox";
import { Type } from "typebox";

/** What a presenter has to make of a schema: nothing of it is written to afterwards. */
export type Shape<T extends TSchema> = DeepReadonly<Static<T>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** A record that other records name by its title. Its table in the documents stands under that title. */
export function record<T extends TProperties>(title: string, fields: T): TObject<T> {
  return Type.Object(fields, { title, additionalProperties: false });
}

/** Some fields that have no name as a whole. */
export function fields<T extends TProperties>(description: string, properties: T): TObject<T> {
  return Type.Object(properties, { description, additionalProperties: false });
}

/** A record as the field of another. */
export function as<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description };
}

export function orNull<T extends TSchema>(schema: T) {
  const { description, ...bare } = schema as TSchema & { description?: string };
  return Type.Union([bare as T, Type.Null()], description === undefined ? {} : { description });
}

/** Sooner or later there is a value; until then the reason why there is none. */
export function nullToday(reason: string) {
  return Type.Null({ description: `${NULL_TODAY}${reason}` });
}

export const NULL_TODAY = "null today: ";

export const hash = (description: string) => Type.String({ description, pattern: "^0x[0-9a-f]{64}$" });

/** With its checksum (EIP-55). */
export const address = (description: string) => Type.String({ description, pattern: "^0x[0-9a-fA-F]{40}$" });

export const hex = (description: string) => Type.String({ description, pattern: "^0x[0-9a-f]*$" });

/** An amount may have more digits than a number of JSON holds. */
export const decimal = (description: string) => Type.String({ description, pattern: "^(0|[1-9][0-9]*)$" });

/** A number that may have a fraction, as text. */
export const price = (description: string) =>
  Type.String({ description, pattern: "^(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$" });

export const time = (description: string) =>
  Type.String({ description, pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$" });

export const text = (description: string) => Type.String({ description });

export const count = (description: string) => Type.Integer({ description, minimum: 0 });

export const number = (description: string) => Type.Number({ description });

export const flag = (description: string) => Type.Boolean({ description });

/** A number where it is exact, else its digits. */
export const countOrText = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: "^[1-9][0-9]*$" })], { description });

export const words = <const T extends string>(choices: readonly T[], description: string) =>
  Type.Enum([...choices], { type: "string", description });

export const always = <const T extends string | number | boolean>(value: T, description: string) =>
  Type.Literal(value, { description });

export const arrayOf = <T extends TSchema>(items: T, description: string) => Type.Array(items, { description });

export const empty = (description: string) => Type.Array(Type.Unknown(), { description, maxItems: 0 });

/** What a node sent, whatever that is. */
export const anything = (description: string) => Type.Object({}, { description });
