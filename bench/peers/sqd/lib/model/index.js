require("reflect-metadata");
const { Column, Entity, PrimaryColumn } = require("typeorm");

/** What the compiled classes of a schema are, without a compiler. */
function entity(type, columns) {
  PrimaryColumn()(type.prototype, "id");
  for (const [name, options] of Object.entries(columns)) Column(options)(type.prototype, name);
  Entity()(type);
  return type;
}

const bigint = {
  type: "numeric",
  nullable: false,
  transformer: { to: (value) => value?.toString(), from: (value) => (value == null ? value : BigInt(value)) },
};
const text = { type: "text", nullable: false };
const integer = { type: "int4", nullable: false };

class Model {
  constructor(props) {
    Object.assign(this, props);
  }
}

class Transfer extends Model {}
class Balance extends Model {}

Reflect.defineMetadata("design:type", String, Transfer.prototype, "id");
Reflect.defineMetadata("design:type", String, Balance.prototype, "id");

exports.Transfer = entity(Transfer, {
  block: integer,
  timestamp: integer,
  transaction: text,
  token: text,
  from: text,
  to: text,
  amount: bigint,
});
exports.Balance = entity(Balance, { token: text, holder: text, amount: bigint });
