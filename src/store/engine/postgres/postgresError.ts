import { ChainError } from "../../../chain/error.ts";

interface ServerError extends Error {
  /** SQLSTATE, or the code of a system error. */
  readonly code?: string;
}

const NO_PASSWORD =
  "the database asks for a password: give it in the URL, as postgres://USER:PASSWORD@HOST/NAME, or in PGPASSWORD";

/** Translates an error of the driver or the server. Messages of the server name no credentials. */
export function translate(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  const { code = "", message } = error as ServerError;
  const say = (reason: string) => `${reason}: ${message}`;
  if (/^28/.test(code)) return new ChainError("store_unavailable", say("the database refuses the login"));
  if (/^SASL: .*password must be/.test(message)) return new ChainError("store_unavailable", NO_PASSWORD);
  if (code === "3D000") return new ChainError("store_unavailable", say("the database does not exist"));
  if (/CERT|^UNABLE_TO_/.test(code))
    return new ChainError("store_unavailable", say("the certificate of the database is not trusted"));
  if (code === "42501") return new ChainError("store_unavailable", say("the database user lacks a right"));
  if (code === "25006") return new ChainError("store_unavailable", say("the database is read-only"));
  if (/^53[12]00$/.test(code)) return new ChainError("store_full", say("the database cannot be written"));
  if (/^(XX001|XX002)$/.test(code)) return new ChainError("store_corrupt", say("the database is damaged"));
  if (code === "57014") return new ChainError("limit_exceeded", say("the query took too long"));
  if (isUnavailable(code, message)) return new ChainError("store_unavailable", say("the database cannot be reached"));
  return new ChainError("internal", message, { cause: error });
}

/** Connection failures, shutdowns, failovers and aborted sessions: a retry may succeed. */
function isUnavailable(code: string, message: string): boolean {
  return (
    /^(08|53|55P03|57P|25P0[34]|40|E[A-Z]+$)/.test(code) ||
    /connection (terminated|timeout)|timeout|not queryable|not support SSL/i.test(message)
  );
}
