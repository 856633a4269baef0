import { setImmediate } from "node:timers/promises";
import type { Abi, Signatures } from "../../chain/abi/parseAbi.ts";
import { parseAbi } from "../../chain/abi/parseAbi.ts";
import { parseSignature } from "../../chain/abi/parseSignature.ts";
import type { Signature } from "../../chain/abi/signature.ts";
import { fullText } from "../../chain/abi/signature.ts";
import { SignatureTexts } from "../../chain/abi/signatureTexts.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { Engine, Row } from "../engine/engine.ts";

/** In the order of their numbers in the table. */
const KINDS = ["functions", "events", "errors"] as const;

const COLUMNS = ["kind", "id", "text", "artifact"];

/** Adds the signatures of an ABI; those that are there already are its from now on, for it is the newest. */
export async function addSignatures(engine: Engine, artifact: number, abi: Abi): Promise<void> {
  const rows: Row[] = [];
  for (const [kind, name] of KINDS.entries()) {
    for (const [id, alike] of abi[name] as ReadonlyMap<Hex, readonly Signature[]>) {
      const texts = alike.map(textOf).filter((text) => text !== undefined);
      for (const text of texts) rows.push([kind, fromHex(id), text, artifact]);
    }
  }
  await engine.upsert("signature", COLUMNS, rows, 3);
}

/** Makes the table anew from the ABIs that are left. */
export async function deriveSignatures(engine: Engine): Promise<void> {
  await engine.run("DELETE FROM signature");
  for (let after = 0; ; ) {
    const rows = await engine.all("SELECT id, abi FROM artifact WHERE id > ? ORDER BY id LIMIT 50", after);
    if (rows.length === 0) return;
    for (const [id, abi] of rows) await addSignatures(engine, id as number, parseAbi(abi as string));
    after = rows.at(-1)![0] as number;
  }
}

/** So many are read before others have their turn. */
const AT_ONCE = 250;

/** Reads all signatures, those of the newest contracts first. Changes meanwhile may be in it or not. */
export async function readSignatures(engine: Engine): Promise<Signatures> {
  const texts = { functions: new SignatureTexts(), events: new SignatureTexts(), errors: new SignatureTexts() };
  let last: Row = [Number.MAX_SAFE_INTEGER, 0, new Uint8Array(0), ""];
  for (;;) {
    const rows = await engine.all(
      `SELECT artifact, kind, id, text FROM signature WHERE (artifact, kind, id, text) < (?, ?, ?, ?)
       ORDER BY artifact DESC, kind DESC, id DESC, text DESC LIMIT ${AT_ONCE}`,
      ...last,
    );
    for (const [, kind, id, text] of rows) texts[KINDS[kind as number]!].add(toHex(id as Bytes), text as string);
    if (rows.length < AT_ONCE) return texts;
    last = rows.at(-1)!;
    await setImmediate();
  }
}

/** Undefined where it would be read otherwise than it is: it is too long, or a parameter is called `indexed`. */
function textOf(signature: Signature): string | undefined {
  const text = fullText(signature);
  try {
    const read = parseSignature(text);
    const isSame = read.inputs.every(({ name, indexed }, i) => {
      const input = signature.inputs[i]!;
      return name === input.name && indexed === input.indexed;
    });
    return isSame ? text : undefined;
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}
