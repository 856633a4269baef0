/** `/` focuses the search, the arrow keys turn pages; neither while typing. */
export function watchKeys(): void {
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const isTyping = target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "/") {
      event.preventDefault();
      document.querySelector<HTMLInputElement>("#search-input")?.focus();
    }
    const rel = { ArrowLeft: "prev", ArrowRight: "next" }[key];
    if (rel) document.querySelector<HTMLAnchorElement>(`.pager a[rel=${rel}], .steps a[rel=${rel}]`)?.click();
  });
}
