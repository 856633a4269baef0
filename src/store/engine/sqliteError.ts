import { ChainError } from "../../chain/error.ts";

export function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}

function damaged(error: unknown): ChainError {
  const reason = `the database file is damaged or not a database: ${(error as Error).message}`;
  return new ChainError("store_corrupt", reason, { cause: error });
}

const SQLITE = { busy: 5, locked: 6, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cantOpen: 14, notADatabase: 26 };

export function translate(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  const { errcode, message, code } = error as { errcode?: number; message: string; code?: string };
  // Our statements match the schema and our integers are safe, so these mean damage.
  if (code === "ERR_OUT_OF_RANGE" || /^no such (table|column|index)|malformed/.test(message)) return damaged(error);
  switch (errcode === undefined ? undefined : errcode & 255) {
    case SQLITE.busy:
    case SQLITE.locked:
      return new ChainError("store_locked", "the database is in use by another process", { cause: error });
    case SQLITE.full:
    case SQLITE.ioError:
      return new ChainError("store_full", `the database cannot be written: ${message}`, { cause: error });
    case SQLITE.corrupt:
    case SQLITE.notADatabase:
      return damaged(error);
    case SQLITE.cantOpen:
    case SQLITE.readOnly:
      return new ChainError("invalid_argument", `the database cannot be opened: ${message}`, { cause: error });
    default:
      return new ChainError("internal", message, { cause: error });
  }
}
