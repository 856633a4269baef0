import type { ErrorCode } from "./chain/error.ts";
import { asChainError } from "./chain/error.ts";
import { abi } from "./cli/abi.ts";
import { audit } from "./cli/audit.ts";
import { backup } from "./cli/backup.ts";
import { help } from "./cli/help.ts";
import { start } from "./cli/start.ts";
import { status } from "./cli/status.ts";
import { VERSION } from "./cli/version.ts";
import type { CommandName } from "./config.ts";
import type { Invocation } from "./invocation.ts";
import { readInvocation } from "./invocation.ts";

const RUN: Readonly<Record<CommandName, (invocation: Invocation) => Promise<number>>> = {
  start,
  status,
  audit,
  backup,
  abi,
};

/** 2 for what the caller got wrong, 1 for everything else. */
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

// Who reads the output may go, as `head` does. A server goes on without.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

// A source's waits between two attempts do not hold the process; a command that waits must not end with them.
setInterval(() => {}, 2 ** 30);
process.exit(await main());
