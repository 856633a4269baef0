import type { ErrorCode } from "./chain/error.ts";
import { asChainError } from "./chain/error.ts";
import { help } from "./cli/help.ts";
import { VERSION } from "./cli/version.ts";
import type { CommandName } from "./commands.ts";
import type { Invocation } from "./invocation.ts";
import { readInvocation } from "./invocation.ts";

/** Commands are loaded on demand, which speeds up the others. */
const RUN: Readonly<Record<CommandName, (invocation: Invocation) => Promise<number>>> = {
  start: async (invocation) => (await import("./cli/start.ts")).start(invocation),
  index: async (invocation) => (await import("./cli/start.ts")).index(invocation),
  serve: async (invocation) => (await import("./cli/start.ts")).serve(invocation),
  status: async (invocation) => (await import("./cli/status.ts")).status(invocation),
  audit: async (invocation) => (await import("./cli/audit.ts")).audit(invocation),
  backup: async (invocation) => (await import("./cli/backup.ts")).backup(invocation),
  export: async (invocation) => (await import("./cli/transfer.ts")).exportStore(invocation),
  import: async (invocation) => (await import("./cli/transfer.ts")).importStore(invocation),
  db: async (invocation) => (await import("./cli/db.ts")).db(invocation),
  source: async (invocation) => (await import("./cli/source.ts")).source(invocation),
  label: async (invocation) => (await import("./cli/label.ts")).label(invocation),
  abi: async (invocation) => (await import("./cli/abi.ts")).abi(invocation),
};

/** 2 for usage errors, 1 for everything else. */
const exitCodeOf = (code: ErrorCode): number => (code === "invalid_argument" ? 2 : 1);

async function main(): Promise<number> {
  try {
    const invocation = readInvocation(process.argv.slice(2), process.env);
    const { command, about } = invocation;
    if (command === "help") console.log(help(about));
    else if (command === "version") console.log(VERSION);
    else return await RUN[command](invocation);
    return 0;
  } catch (error) {
    const failure = asChainError(error);
    console.error(`oriel: ${failure.message.replaceAll("\n", " ")}`);
    if (failure.code === "internal")
      console.error(failure.cause instanceof Error ? failure.cause.stack : failure.stack);
    return exitCodeOf(failure.code);
  }
}

// The reader of the output may exit, like `head`; a server continues.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

// A source's retry timers are unref'd; a waiting command must not end with them.
setInterval(() => {}, 2 ** 30);
process.exit(await main());
