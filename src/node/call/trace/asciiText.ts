/** Collected in parts of a few thousand characters, since V8 keeps a concatenated string as a tree. */
const PART = 1 << 14;

/** A long text of ASCII characters, outside the heap until it is read. */
export class AsciiText {
  #bytes = Buffer.alloc(4 * PART);
  #length = 0;
  #part = "";

  get isEmpty(): boolean {
    return this.#length === 0 && this.#part === "";
  }

  append(text: string): void {
    this.#part += text;
    if (this.#part.length >= PART) this.#endPart();
  }

  read(): string {
    this.#endPart();
    return this.#bytes.toString("latin1", 0, this.#length);
  }

  #endPart(): void {
    const length = this.#length + this.#part.length;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.write(this.#part, this.#length, "latin1");
    this.#length = length;
    this.#part = "";
  }
}
