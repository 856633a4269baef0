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

/** In the order of their numbers in the table. */
const KINDS = ["functions", "events", "errors"] as const;

const COLUMNS = ["kind", "id", "text", "artifact"];

type SignatureRow = [artifact: number, kind: number, id: Bytes, text: string];

/** Adds the signatures of an ABI; those that are there already are its from now on, for it is the newest. */
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

/** Makes the table anew from the ABIs that are left. */
export async function deriveSignatures(writer: Writer): Promise<void> {
  await writer.run("DELETE FROM signature");
  const sql = "SELECT id, abi FROM artifact WHERE id > ? ORDER BY id LIMIT ?";
  const pages = keysetPages<[number, string]>(ABI_BATCH_SIZE, (last, count) => writer.all(sql, last?.[0] ?? 0, count));
  for await (const rows of pages) for (const [id, abi] of rows) await addSignatures(writer, id, parseAbi(abi));
}

/** So many are read at once, and before others have their turn. */
const BATCH_SIZE = 250;

/** Reads all signatures, those of the newest contracts first. Changes meanwhile may be in it or not. */
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

/** Undefined where it would be read otherwise than it is: it is too long, or a parameter is called `indexed`. */
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
