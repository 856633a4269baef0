import pg from "pg";
import { ChainError } from "../../../chain/error.ts";
import type { Row, Value } from "../database.ts";
import type { ColumnType } from "./binaryArray.ts";
import { binaryArray, storableText, typeOf } from "./binaryArray.ts";
import { CopyQuery } from "./copyQuery.ts";
import { numberParameters } from "./postgresDialect.ts";
import { translate } from "./postgresError.ts";

const KEYS = "IN ($keys)";
const PAIRS = "$pairs";

/** Results arrive as text. Booleans and sums are numbers, as in SQLite. */
const PARSERS: Readonly<Record<number, (text: string) => Value>> = {
  16: (text) => Number(text === "t"),
  17: (text) => new Uint8Array(Buffer.from(text.slice(2), "hex")),
  20: Number,
  21: Number,
  23: Number,
  1700: Number,
};

const verbatim = (text: string): Value => text;

const TYPES = { getTypeParser: (oid: number) => PARSERS[oid] ?? verbatim };

const names = new Map<string, string>();

/** Statements are prepared once per connection, under a name. */
function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = `oriel_${names.size}`;
  names.set(sql, name);
  return name;
}

/** One pipelined session: statements are sent without waiting for the results of earlier ones. */
export class PostgresConnection {
  readonly #client: pg.Client;
  readonly #canPrepare: boolean;
  #failure: ChainError | undefined;

  constructor(config: pg.ClientConfig, canPrepare = true) {
    this.#canPrepare = canPrepare;
    this.#client = new pg.Client({ ...config, pipeline: true } as pg.ClientConfig);
    this.#client.on("error", (error) => {
      this.#failure ??= translate(error);
    });
    this.#client.on("end", () => {
      this.#failure ??= new ChainError("store_unavailable", "the connection to the database was closed");
    });
  }

  async connect(): Promise<this> {
    await this.#client.connect().catch((error: unknown) => {
      throw translate(error);
    });
    return this;
  }

  get isUsable(): boolean {
    return this.#failure === undefined;
  }

  onNotification(listener: (payload: string) => void): void {
    this.#client.on("notification", ({ payload = "" }) => listener(payload));
  }

  onClose(listener: () => void): void {
    this.#client.once("end", listener);
  }

  /** Several statements without parameters. */
  async script(sql: string): Promise<void> {
    await this.#send({ text: sql });
  }

  async all<R extends Row = Row>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    return (await this.#query(sql, parameters)).rows as unknown as R[];
  }

  /** Returns the number of rows that were inserted, changed or removed. */
  async run(sql: string, parameters: readonly unknown[]): Promise<number> {
    return (await this.#query(sql, parameters)).rowCount ?? 0;
  }

  #query(sql: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    const text = numberParameters(sql);
    const values = parameters.map(asParameter);
    const name = this.#canPrepare ? { name: nameOf(text) } : {};
    return this.#send({ ...name, text, values, rowMode: "array", types: TYPES });
  }

  /** Rows in the format of COPY. */
  async copy(sql: string, rows: Buffer): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    await new Promise<void>((resolve, reject) => {
      this.#client.query(new CopyQuery(sql, rows, (error) => (error ? reject(translate(error)) : resolve())));
    });
  }

  async load<R extends Row>(sql: string, keys: readonly Value[]): Promise<R[]> {
    if (keys.length === 0) return [];
    return this.all<R>(sql.replace(KEYS, "= ANY(?)"), [binaryArray(typeOf(keys[0]!), keys)]);
  }

  async loadPairs<R extends Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<R[]> {
    if (pairs.length === 0) return [];
    const types = [typeOf(pairs[0]![0]), typeOf(pairs[0]![1])] as const;
    const arrays = types.map((type, at) =>
      binaryArray(
        type,
        pairs.map((pair) => pair[at]!),
      ),
    );
    const rows = `SELECT column1, column2 FROM unnest(${types.map(arrayOf)}) AS pairs(column1, column2)`;
    return this.all<R>(sql.replace(PAIRS, rows), arrays);
  }

  async close(): Promise<void> {
    this.#failure ??= new ChainError("store_unavailable", "the connection to the database is closed");
    await this.#client.end().catch(() => {});
  }

  async #send(query: pg.QueryConfig & { rowMode?: "array" }): Promise<pg.QueryResult> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return await this.#client.query(query);
    } catch (error) {
      throw translate(error);
    }
  }
}

const TYPE_NAMES: Readonly<Record<ColumnType, string>> = { bytes: "bytea", integer: "bigint", text: "text" };

export function arrayOf(type: ColumnType): string {
  return `?::${TYPE_NAMES[type]}[]`;
}

/** The driver sends buffers in binary. */
function asParameter(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Buffer.isBuffer(value) || !(value instanceof Uint8Array)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
