import { watchCopies } from "./copy.ts";
import { watchAmounts } from "./exact.ts";
import { watchKeys } from "./keys.ts";
import { followChain } from "./live.ts";
import { suggest } from "./suggest.ts";
import { showCurrentTab } from "./tabs.ts";
import { watchTheme } from "./themeSwitch.ts";
import { showAges } from "./times.ts";

watchTheme();
watchCopies();
watchAmounts();
watchKeys();
suggest();
showCurrentTab();
showAges(document);
setInterval(() => showAges(document), 10_000);
if (document.documentElement.hasAttribute("data-live")) followChain();

// Modules that few pages need are loaded by these alone.
const has = (selector: string) => document.querySelector(selector) !== null;
if (has("[data-wallet]")) void import("./write.ts").then(({ watchWrites }) => watchWrites());
if (has("[data-add-network]")) void import("./addNetwork.ts").then(({ offerNetwork }) => offerNetwork());
if (has("[data-pending]")) void import("./verification.ts").then(({ followVerification }) => followVerification());
if (has("figure[data-chart]")) void import("./charts.ts").then(({ drawCharts }) => drawCharts());
