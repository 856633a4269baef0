import assert from "node:assert/strict";
import { test } from "node:test";
import { Type as TypeBox } from "typebox";
import { Type } from "./type.ts";

/** One schema from each builder, with options and without. */
function schemasBy(builders: typeof Type) {
  const options = { description: "said", examples: [1] };
  const text = builders.String({ pattern: "^0x" });
  return {
    Array: [builders.Array(text), builders.Array(text, { ...options, maxItems: 3 })],
    Boolean: [builders.Boolean(), builders.Boolean(options)],
    Enum: [builders.Enum(["a", "b"]), builders.Enum(["a", "b"], options)],
    Integer: [builders.Integer(), builders.Integer({ minimum: 0 })],
    Intersect: [builders.Intersect([builders.Object({ a: text }), builders.Object({ b: text })], options)],
    Literal: [builders.Literal("a"), builders.Literal(1), builders.Literal(true, options)],
    Null: [builders.Null(), builders.Null(options)],
    Number: [builders.Number(), builders.Number(options)],
    Object: [
      builders.Object({}),
      builders.Object({ a: text, b: builders.Optional(builders.Integer(options)) }, { additionalProperties: false }),
      builders.Object({ b: builders.Optional(text) }),
    ],
    Record: [builders.Record(builders.String(), text), builders.Record(builders.String(), text, options)],
    String: [builders.String(), text],
    Union: [builders.Union([text, builders.Null()]), builders.Union([text, builders.Null()], options)],
    Unknown: [builders.Unknown(), builders.Unknown(options)],
    Unsafe: [builders.Unsafe({ $ref: "#/components/schemas/Block" })],
  };
}

test("each builder makes what TypeBox's makes", () => {
  const [made, expected] = [schemasBy(Type), schemasBy(TypeBox as unknown as typeof Type)];

  assert.deepEqual([...Object.keys(made), "Optional"].sort(), Object.keys(Type).sort());
  for (const name of Object.keys(made) as (keyof typeof made)[])
    assert.deepEqual(JSON.parse(JSON.stringify(made[name])), JSON.parse(JSON.stringify(expected[name])), name);
});
