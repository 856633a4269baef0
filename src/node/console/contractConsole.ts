import type { Machine } from "../machine/machine.ts";
import { decodeLog } from "./decodeLog.ts";

/** console.log address of hardhat and forge. */
const CONSOLE = "000000000000000000636f6e736f6c652e6c6f67";

export const CONSOLE_LIMITS = {
  length: 1000,
  linesOfASecond: 100,
};

/** console.log output of contracts, rate-limited since anyone may run contracts. */
export class ContractConsole {
  isEnabled = true;
  readonly #write: (line: string) => void;
  readonly #now: () => number;
  #second = 0;
  #lines = 0;

  constructor(write: (line: string) => void, now: () => number = Date.now) {
    this.#write = write;
    this.#now = now;
  }

  watch({ evm }: Machine): void {
    evm.onCodeless = (address, data) => {
      if (address === CONSOLE) this.#log(data);
    };
  }

  #log(data: Uint8Array): void {
    if (!this.isEnabled || this.#isOver()) return;
    const text = decodeLog(data);
    if (text === undefined) return;
    this.#write(printable(text.length > CONSOLE_LIMITS.length ? `${text.slice(0, CONSOLE_LIMITS.length)}…` : text));
  }

  /** Reports once when the limit per second is reached. */
  #isOver(): boolean {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) this.#lines = 0;
    this.#second = second;
    this.#lines++;
    if (this.#lines === CONSOLE_LIMITS.linesOfASecond + 1) this.#write("… and more, which are left out");
    return this.#lines > CONSOLE_LIMITS.linesOfASecond;
  }
}

/** Escapes terminal control characters and line ends. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
