import { setImmediate } from "node:timers/promises";
import type { Abi, Signatures } from "../../chain/abi/parseAbi.ts";
import { parseAbi } from "../../chain/abi/parseAbi.ts";
import { parseSignature } from "../../chain/abi/parseSignature.ts";
import type { Signature } from "../../chain/abi/signature.ts";
import { fullText } from "../../chain/abi/signature.ts";
import { SignatureTexts } from "../../chain/abi/signatureTexts.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { Reader, Row, Writer } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import { mustHave } from "../rows/encoding.ts";

/** In the order of the column's values. */
const KINDS = ["functions", "events", "errors"] as const;

const COLUMNS = ["kind", "id", "text", "artifact"];

type SignatureRow = [artifact: number, kind: number, id: Bytes, text: string];

/** Existing signatures are reassigned to this artifact, the newest. */
export async function addSignatures(writer: Writer, artifact: number, abi: Abi): Promise<void> {
  const rows: Row[] = [];
  for (const [kind, name] of KINDS.entries()) {
    for (const [id, alike] of abi[name]) {
      const texts = alike.map(textOf).filter((text) => text !== undefined);
      for (const text of texts) rows.push([kind, fromHex(id), text, artifact]);
    }
  }
  await writer.upsert("signature", COLUMNS, rows, 3);
}

const ABI_BATCH_SIZE = 50;

export async function deriveSignatures(writer: Writer): Promise<void> {
  await writer.run("DELETE FROM signature");
  const sql = "SELECT id, abi FROM artifact WHERE id > ? ORDER BY id LIMIT ?";
  const pages = keysetPages<[number, string]>(ABI_BATCH_SIZE, (last, count) => writer.all(sql, last?.[0] ?? 0, count));
  for await (const rows of pages) for (const [id, abi] of rows) await addSignatures(writer, id, parseAbi(abi));
}

const BATCH_SIZE = 250;

/** Newest contracts first. Concurrent changes may or may not be included. */
export async function readSignatures(db: Reader): Promise<Signatures> {
  const texts = { functions: new SignatureTexts(), events: new SignatureTexts(), errors: new SignatureTexts() };
  const sql = `SELECT artifact, kind, id, text FROM signature WHERE (artifact, kind, id, text) < (?, ?, ?, ?)
    ORDER BY artifact DESC, kind DESC, id DESC, text DESC LIMIT ?`;
  const beyond: SignatureRow = [Number.MAX_SAFE_INTEGER, 0, EMPTY, ""];
  const pages = keysetPages<SignatureRow>(BATCH_SIZE, (last, count) => db.all(sql, ...(last ?? beyond), count));
  for await (const rows of pages) {
    for (const [, kind, id, text] of rows) texts[mustHave(KINDS[kind], "the kind of a signature")].add(toHex(id), text);
    await setImmediate();
  }
  return texts;
}

/** Undefined if parsing the text would not give the same signature: too long, or a parameter named `indexed`. */
function textOf(signature: Signature): string | undefined {
  const text = fullText(signature);
  try {
    const read = parseSignature(text);
    const isSame = read.inputs.every(({ name, indexed }, i) => {
      const input = signature.inputs[i];
      return name === input?.name && indexed === input.indexed;
    });
    return isSame ? text : undefined;
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}
