"use strict";
// The page is whole without this: tables become sortable, and links open what they lead to.
document.addEventListener("DOMContentLoaded", () => {
  const grids = [];
  for (const table of document.querySelectorAll("table.interactive")) {
    const long = table.tBodies[0].rows.length > 10;
    const filters = [...table.querySelectorAll("th[data-filter]")].flatMap((th) => filter(table, th));
    const grid = new DataTable(table, {
      order: [],
      autoWidth: false,
      paging: long,
      info: long || filters.length > 0,
      layout: {
        topStart: [...(long ? ["pageLength"] : []), ...filters.map(({ label }) => () => label)],
        topEnd: long ? "search" : null,
      },
      lengthMenu: [10, 25, 100, { label: "all", value: -1 }],
      language: {
        search: "Search",
        lengthMenu: "Show _MENU_ rows",
        info: "Showing _START_ to _END_ of _TOTAL_ rows",
        infoEmpty: "No rows to show",
        infoFiltered: "(out of _MAX_)",
        zeroRecords: "No row is like that.",
      },
    });
    grids.push(grid);
    for (const { index, select } of filters) {
      select.addEventListener("change", () => {
        const wanted = select.value;
        grid.column(index).search(wanted, { exact: wanted !== "" }).draw();
      });
    }
    const name = `Pages of the table: ${table.caption.textContent}`;
    const nameLandmark = () => {
      table.closest(".dt-container").querySelector("nav")?.setAttribute("aria-label", name);
    };
    grid.on("draw", nameLandmark);
    nameLandmark();
  }

  function filter(table, heading) {
    const index = heading.cellIndex;
    const values = new Set([...table.tBodies[0].rows].map((row) => row.cells[index].textContent.trim()));
    if (values.size < 2) return [];
    const label = document.createElement("label");
    label.className = "filter";
    label.append(`${heading.dataset.filter} `);
    const select = document.createElement("select");
    select.append(new Option("all", ""));
    for (const value of [...values].sort()) select.append(new Option(value, value));
    label.append(select);
    return [{ index, label, select }];
  }

  // The theme follows the system until the reader chooses one for this page.
  const screenIsDark = matchMedia("(prefers-color-scheme: dark)");
  const darkRules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSMediaRule && rule.conditionText.includes("prefers-color-scheme"));
  const scheme = document.createElement("button");
  const root = document.documentElement;
  const isDark = () => (root.dataset.scheme ? root.dataset.scheme === "dark" : screenIsDark.matches);
  const name = () => { scheme.textContent = isDark() ? "Light page" : "Dark page"; };
  scheme.type = "button";
  scheme.className = "scheme";
  scheme.addEventListener("click", () => {
    root.dataset.scheme = isDark() ? "light" : "dark";
    for (const rule of darkRules) rule.media.mediaText = isDark() ? "all" : "not all";
    name();
    document.dispatchEvent(new Event("scheme"));
  });
  screenIsDark.addEventListener("change", name);
  name();
  document.querySelector("header").prepend(scheme);

  function openTarget() {
    const target = document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) target.open = true;
  }
  addEventListener("hashchange", openTarget);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) openTarget();
  });
  openTarget();

  // On paper everybody is listed, not the first page of a table; afterwards it is as it was.
  let opened = [], paged = [];
  addEventListener("beforeprint", () => {
    paged = grids.filter((grid) => grid.page.info().pages > 1).map((grid) => [grid, grid.page.len(), grid.page()]);
    for (const [grid] of paged) grid.page.len(-1).draw(false);
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const part of opened) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
    for (const [grid, length, page] of paged) grid.page.len(length).page(page).draw(false);
  });
});
