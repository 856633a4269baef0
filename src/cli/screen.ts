interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Lines that stay and, on a terminal, a last one that changes: every network has a part of it. */
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

  /** Changes one part of the last line; without a terminal it is a line. */
  draw(part: string, text: string): void {
    if (!this.isTerminal) {
      this.line(text);
      return;
    }
    this.#parts.set(part, text);
    const all = [...this.#parts.values()].join(" | ");
    // What is wider than the terminal cannot be drawn over.
    this.#output.write(`\r\x1b[K${all.slice(0, (this.#output.columns ?? Number.POSITIVE_INFINITY) - 1)}`);
    this.#isOpen = true;
  }

  end(): void {
    if (this.#isOpen) this.#output.write("\n");
    this.#isOpen = false;
  }
}
