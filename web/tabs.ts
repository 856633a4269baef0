/** The current one of tabs that do not fit is brought into sight. */
export function showCurrentTab(): void {
  for (const bar of document.querySelectorAll<HTMLElement>(".tabs")) {
    const current = bar.querySelector<HTMLElement>("[aria-current]");
    if (current === null || bar.scrollWidth <= bar.clientWidth) continue;
    bar.scrollLeft += current.getBoundingClientRect().left - bar.getBoundingClientRect().left - bar.clientWidth / 3;
  }
}
