const SHOWN = 1200;

/** Buttons copy the text they carry. Listening to the whole page takes in those that come later. */
export function watchCopies(): void {
  document.addEventListener("click", async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null;
    if (!button) return;
    await navigator.clipboard.writeText(button.dataset.copy ?? "");
    button.classList.add("copied");
    button.setAttribute("aria-label", "Copied");
    setTimeout(() => {
      button.classList.remove("copied");
      button.setAttribute("aria-label", "Copy");
    }, SHOWN);
  });
}
