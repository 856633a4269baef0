/** A press of the button turns to the theme that is not shown, and the browser remembers it. */
export function watchTheme(): void {
  document.querySelector("[data-theme-switch]")?.addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
  });
}
