// A heading sorts its table: numbers the largest first, names in alphabetical order, and the other way round next time.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  headings.forEach((heading, at) => {
    const numeric = heading.classList.contains("n");
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    // What has no number comes below all that have one.
    const value = (row) => {
      const text = row.cells[at].textContent;
      if (!numeric) return text;
      const number = Number(text.replace(/[≥%]/g, "") || NaN);
      return Number.isNaN(number) ? -1 : number;
    };
    button.addEventListener("click", () => {
      const before = heading.getAttribute("aria-sort");
      const rising = before ? before === "descending" : !numeric;
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
      const rows = [...body.rows].map((row) => ({ row, key: value(row) }));
      const sign = rising ? 1 : -1;
      rows.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : 0));
      for (const { row } of rows) body.append(row);
    });
  });
}
