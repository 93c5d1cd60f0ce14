// SPDX-License-Identifier: Apache-2.0
// The style and script that report.html carries inside.
#pragma once

namespace assay::reports {

inline constexpr const char* kHtmlStyle = R"css(
:root { color-scheme: light dark; --line: #d0d7de; --dim: #59636e; --good: #1a7f37; --bad: #cf222e; --warn: #9a6700; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 24px auto; max-width: 1400px; padding: 0 16px; }
h1 { font-size: 22px; } h2 { font-size: 18px; margin-top: 32px; } h3 { font-size: 15px; margin: 20px 0 6px; }
h4 { font-size: 13px; margin: 12px 0 4px; font-weight: 600; color: var(--dim); }
table { border-collapse: collapse; font: 12.5px/1.5 ui-monospace, monospace; }
th, td { border-bottom: 1px solid var(--line); padding: 2px 10px; text-align: left; vertical-align: top; }
th { color: var(--dim); } td.r, th.r { text-align: right; }
.scroll { overflow-x: auto; } svg { max-width: 100%; height: auto; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
pre { margin: 4px 0; white-space: pre-wrap; font: 12px/1.4 ui-monospace, monospace; }
.filters { position: sticky; top: 0; background: Canvas; padding: 8px 0; }
.filters input[type=search] { width: 360px; padding: 4px 8px; } .filters label { margin-left: 10px; }
)css";

// Shows the variants whose outcome is ticked and whose name contains every word of the search box, and the cases that
// have any. Lists of variants open where something is left out.
inline constexpr const char* kHtmlScript = R"js(
const search = document.getElementById('search');
const boxes = [...document.querySelectorAll('.filters input[type=checkbox]')];
const lists = [...document.querySelectorAll('.variants')].map(
  list => ({list, rows: [...list.querySelectorAll('tbody tr')], open: list.open}));
const shown = document.getElementById('shown');
function apply() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const outcomes = new Set(boxes.filter(b => b.checked).map(b => b.value));
  const filtered = words.length > 0 || outcomes.size < boxes.length;
  let count = 0, all = 0;
  for (const {list, rows, open} of lists) {
    let here = 0;
    for (const row of rows) {
      const name = row.dataset.name;
      const visible = outcomes.has(row.dataset.outcome) && words.every(w => name.includes(w));
      row.hidden = !visible;
      here += visible;
    }
    list.parentElement.hidden = filtered && here === 0;
    list.open = filtered || open;
    count += here;
    all += rows.length;
  }
  shown.textContent = count + ' of ' + all;
}
search.addEventListener('input', apply);
boxes.forEach(b => b.addEventListener('change', apply));
apply();
)js";

}  // namespace assay::reports
