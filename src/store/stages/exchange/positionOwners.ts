import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../chain/encoding/bytes.ts";
import type { Row, Writer } from "../../engine/database.ts";
import type { Position } from "./position.ts";
import { isHeld } from "./position.ts";

const COLUMNS = ["owner", "pool", "position"];

interface PositionMove {
  readonly id: Bytes;
  readonly before: Position | undefined;
  readonly after: Position | undefined;
}

export async function moveOwners(writer: Writer, moves: Iterable<PositionMove>): Promise<void> {
  const [removed, added]: [Row[], Row[]] = [[], []];
  for (const { id, before, after } of moves) {
    const [was, is] = [isHeld(before) ? before : undefined, isHeld(after) ? after : undefined];
    if (was !== undefined && is !== undefined && equalBytes(was.owner, is.owner)) continue;
    if (was !== undefined) removed.push([was.owner, was.pool, id]);
    if (is !== undefined) added.push([is.owner, is.pool, id]);
  }
  await writer.remove("position_owner", COLUMNS, removed);
  await writer.insert("position_owner", COLUMNS, added);
}
