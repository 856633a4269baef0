const SHOWN = 1200;

/** Buttons copy the text they carry, or that of the element they name. Listening to the whole page takes in those that come later. */
export function watchCopies(): void {
  document.addEventListener("click", async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy], [data-copy-from]") : null;
    if (!button) return;
    const { copy, copyFrom = "" } = button.dataset;
    await navigator.clipboard.writeText(copy ?? document.getElementById(copyFrom)?.textContent ?? "");
    button.classList.add("copied");
    button.setAttribute("aria-label", "Copied");
    setTimeout(() => {
      button.classList.remove("copied");
      button.setAttribute("aria-label", "Copy");
    }, SHOWN);
  });
}
