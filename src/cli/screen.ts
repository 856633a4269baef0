interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Permanent lines and, on a terminal, a status line with one segment per network. */
export class Screen {
  readonly #output: Output;
  readonly #parts = new Map<string, string>();
  #isOpen = false;

  constructor(output: Output) {
    this.#output = output;
  }

  get isTerminal(): boolean {
    return this.#output.isTTY === true;
  }

  line(text: string): void {
    this.end();
    this.#output.write(`${text}\n`);
  }

  draw(part: string, text: string): void {
    if (!this.isTerminal) {
      this.line(text);
      return;
    }
    this.#parts.set(part, text);
    const all = [...this.#parts.values()].join(" | ");
    // A line wider than the terminal cannot be redrawn.
    this.#output.write(`\r\x1b[K${all.slice(0, (this.#output.columns ?? Number.POSITIVE_INFINITY) - 1)}`);
    this.#isOpen = true;
  }

  end(): void {
    if (this.#isOpen) this.#output.write("\n");
    this.#isOpen = false;
  }
}
