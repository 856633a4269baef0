import { watchCopies } from "./copy.ts";
import { watchKeys } from "./keys.ts";
import { followChain } from "./live.ts";
import { suggest } from "./suggest.ts";
import { watchTheme } from "./themeSwitch.ts";
import { showAges } from "./times.ts";

watchTheme();
watchCopies();
watchKeys();
suggest();
showAges(document);
setInterval(() => showAges(document), 10_000);
if (document.documentElement.hasAttribute("data-live")) followChain();
