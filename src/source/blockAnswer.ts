import type { Block } from "../chain/block/block.ts";
import { decodeBlock } from "../chain/block/block.ts";
import type { Header } from "../chain/block/header.ts";
import type { Hash } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { fromHex, quantity, toHex } from "../chain/encoding/hex.ts";
import { isHash } from "../chain/encoding/parse.ts";
import type { Wire } from "../chain/encoding/wire.ts";
import { invalid, readArray, readNumber, readObject } from "../chain/encoding/wire.ts";
import { outlineBlock, scanBlock } from "../chain/scan/scanner.ts";
import { isPackedEmpty, unpackBlock } from "../chain/scan/unpackBlock.ts";
import { JsonText } from "./jsonText.ts";

/** A node's block before its receipts are there: as text, if it is in the form that can be scanned, or parsed. */
export class BlockAnswer {
  readonly number: number;
  readonly hash: Hash;
  readonly isEmpty: boolean;
  readonly #given: JsonText | Wire;

  private constructor(
    given: JsonText | Wire,
    { number, hash, isEmpty }: Pick<BlockAnswer, "number" | "hash" | "isEmpty">,
  ) {
    this.#given = given;
    this.number = number;
    this.hash = hash;
    this.isEmpty = isEmpty;
  }

  static of(result: unknown): BlockAnswer {
    const outline = result instanceof JsonText ? outlineBlock(result.bytes) : undefined;
    if (result instanceof JsonText && outline !== undefined) return new BlockAnswer(result, outline);
    const wire = readObject(result instanceof JsonText ? result.value : result, "block");
    return new BlockAnswer(wire, {
      number: readNumber(wire.number, "block.number"),
      hash: readHash(wire.hash),
      isEmpty: readArray(wire.transactions, "block.transactions").length === 0,
    });
  }

  get wire(): Wire {
    return this.#given instanceof JsonText ? readObject(this.#given.value, "block") : this.#given;
  }

  /** The block from the bytes of both texts; undefined where only the parsed values tell. */
  scan(receipts: unknown): Block | undefined {
    if (!(this.#given instanceof JsonText && receipts instanceof JsonText)) return undefined;
    const packed = scanBlock(this.#given.bytes, receipts.bytes);
    if (packed === undefined || isPackedEmpty(packed)) return undefined;
    const block = unpackBlock(packed);
    this.#expectSame(block.header);
    return block;
  }

  decode(receipts: readonly unknown[]): Block {
    const block = decodeBlock(this.wire, receipts);
    this.#expectSame(block.header);
    return block;
  }

  /** An odd text may deceive the outline, by which the block was asked for. */
  #expectSame({ number, hash }: Header): void {
    if (number !== this.number) throw invalid("block.number", quantity(number), quantity(this.number));
    if (!equalBytes(hash, this.hash)) throw invalid("block.hash", toHex(hash), toHex(this.hash));
  }
}

export function listOf(receipts: JsonText | readonly unknown[]): readonly unknown[] {
  return receipts instanceof JsonText ? readArray(receipts.value, "receipts") : receipts;
}

/** A copy: a view would retain the buffer of the whole response. */
export function readHash(hash: unknown): Hash {
  if (!isHash(hash)) throw invalid("block.hash", hash, "32 bytes of hex");
  return fromHex(hash);
}
