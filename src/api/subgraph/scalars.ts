import type { ValueNode } from "graphql";
import { GraphQLError, GraphQLScalarType, Kind } from "graphql";
import { SCALE } from "../../exchange/prices.ts";

function scalar<T>(name: string, description: string, parse: (text: string) => T | undefined): GraphQLScalarType {
  const parseText = (text: unknown): T => {
    const value = typeof text === "string" ? parse(text) : undefined;
    if (value === undefined) throw new GraphQLError(`${name} cannot represent the value: ${description}`);
    return value;
  };
  return new GraphQLScalarType<T, string>({
    name,
    description,
    serialize: String,
    parseValue: (value) => parseText(typeof value === "number" ? String(value) : value),
    parseLiteral: (node) => parseText(textOf(node)),
  });
}

function textOf(node: ValueNode): string | undefined {
  return node.kind === Kind.INT || node.kind === Kind.FLOAT || node.kind === Kind.STRING ? node.value : undefined;
}

const INTEGER = /^-?\d{1,80}$/;
const DECIMAL = /^(-?)(\d{1,80})(?:\.(\d{1,80}))?$/;
const PLACES = String(SCALE).length - 1;

export const BigIntType = scalar("BigInt", "an integer in decimal digits", (text) =>
  INTEGER.test(text) ? BigInt(text) : undefined,
);

/** Those of conditions are in units of 1 / SCALE. */
export const BigDecimalType = scalar("BigDecimal", "a decimal number without an exponent", (text) => {
  const [, sign, whole = "", places = ""] = DECIMAL.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const value = BigInt(whole + places.slice(0, PLACES).padEnd(PLACES, "0"));
  return sign === "-" ? -value : value;
});

export const BytesType = scalar("Bytes", "bytes as 0x and hex digits", (text) =>
  /^0x([0-9a-f]{2})*$/i.test(text) ? text.toLowerCase() : undefined,
);
