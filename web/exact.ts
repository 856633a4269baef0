/** Rounded amounts, with the exact one in the title. */
const ROUNDED = "data[title]:not(.dollars)";

/** A click or a touch shows all digits, another one the rounded amount; what is copied has all digits. */
export function watchAmounts(): void {
  document.addEventListener("click", ({ target }) => {
    const amount = target instanceof Element ? target.closest<HTMLElement>(ROUNDED) : null;
    if (amount === null || amount.closest("a, button, summary") !== null) return;
    swap(amount);
  });
  document.addEventListener("copy", (event) => {
    const selected = getSelection();
    if (selected === null || selected.rangeCount === 0 || event.clipboardData === null) return;
    const part = selected.getRangeAt(0).cloneContents();
    const amounts = [...part.querySelectorAll<HTMLElement>(ROUNDED)].filter(
      ({ dataset }) => dataset.exact === undefined,
    );
    // Fields keep what they have, and parts of an amount are as they are seen.
    if (amounts.length === 0 || !/\s/.test(selected.toString().trim())) return;
    for (const amount of amounts) swap(amount);
    event.clipboardData.setData("text/plain", part.textContent ?? "");
    event.preventDefault();
  });
}

function swap(amount: HTMLElement): void {
  const [text] = amount.childNodes;
  if (!(text instanceof Text)) return;
  [text.data, amount.title] = [amount.title, text.data];
  if (amount.dataset.exact === undefined) amount.dataset.exact = "";
  else delete amount.dataset.exact;
}
