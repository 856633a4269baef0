/** A license by its name in SPDX and by Blockscout's. */
interface License {
  readonly spdx: string;
  readonly type: string;
}

/** In the order of Etherscan's license numbers, from 1. */
export const LICENSES: readonly License[] = [
  { spdx: "None", type: "none" },
  { spdx: "Unlicense", type: "unlicense" },
  { spdx: "MIT", type: "mit" },
  { spdx: "GPL-2.0", type: "gnu_gpl_v2" },
  { spdx: "GPL-3.0", type: "gnu_gpl_v3" },
  { spdx: "LGPL-2.1", type: "gnu_lgpl_v2_1" },
  { spdx: "LGPL-3.0", type: "gnu_lgpl_v3" },
  { spdx: "BSD-2-Clause", type: "bsd_2_clause" },
  { spdx: "BSD-3-Clause", type: "bsd_3_clause" },
  { spdx: "MPL-2.0", type: "mpl_2_0" },
  { spdx: "OSL-3.0", type: "osl_3_0" },
  { spdx: "Apache-2.0", type: "apache_2_0" },
  { spdx: "AGPL-3.0", type: "gnu_agpl_v3" },
  { spdx: "BUSL-1.1", type: "bsl_1_1" },
];

export const NO_LICENSE = LICENSES[0]!.spdx;
