import { ChainError } from "../chain/error.ts";

/** Refuses to start over where a chain was lost. */
export function chainLost(directory: string | undefined, what: string): ChainError {
  return new ChainError(
    "store_corrupt",
    `the chain in ${directory} is lost: ${what}; put a copy back, or begin again with --reset`,
  );
}

const SQLITE = { busy: 5, locked: 6, ioError: 10, full: 13 };

/** SQLite reports a file that may not grow as an I/O error. */
export function mapWriteError(error: unknown): unknown {
  const { errcode, message } = error as { errcode?: number; message: string };
  if (error instanceof ChainError || errcode === undefined) return error;
  if (![SQLITE.ioError, SQLITE.full].includes(errcode & 255)) return error;
  return new ChainError("store_full", `the chain cannot be written, the disk may be full: ${message}`, {
    cause: error,
  });
}

export function isFull(error: unknown): boolean {
  return error instanceof ChainError && error.code === "store_full";
}

export function mapDatabaseError(error: unknown, directory: string | undefined): unknown {
  const { errcode, message } = error as { errcode?: number; message: string };
  if (error instanceof ChainError || errcode === undefined) return error;
  if ([SQLITE.busy, SQLITE.locked].includes(errcode & 255)) {
    return new ChainError("store_locked", `another process has the chain in ${directory} open`, { cause: error });
  }
  const reason = `the chain in ${directory} cannot be opened: ${message}; put a copy back, or begin again with --reset`;
  return new ChainError("store_corrupt", reason, { cause: error });
}
