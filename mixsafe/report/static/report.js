"use strict";
// The page is whole without this: tables become sortable, and links open what they lead to.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.interactive")) {
    const grid = new DataTable(table, {
      order: [],
      autoWidth: false,
      paging: table.tBodies[0].rows.length > 10,
      lengthMenu: [10, 25, 100, { label: "all", value: -1 }],
      language: { search: "Search", lengthMenu: "_MENU_ rows" },
    });
    const column = table.querySelector("th[data-filter]");
    if (column) addFilter(table, grid, column);
  }

  function addFilter(table, grid, heading) {
    const index = heading.cellIndex;
    const label = document.createElement("label");
    label.className = "filter";
    label.append(`${heading.dataset.filter} `);
    const select = document.createElement("select");
    const values = new Set(grid.column(index).data().toArray().map(text));
    for (const value of ["all", ...[...values].sort()]) select.append(new Option(value, value));
    label.append(select);
    table.closest(".dt-container").before(label);
    select.addEventListener("change", () => {
      const wanted = select.value === "all" ? "" : select.value;
      grid.column(index).search(wanted, { exact: true }).draw();
    });
  }

  function text(cell) {
    return new DOMParser().parseFromString(cell, "text/html").body.textContent.trim();
  }

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

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const part of opened) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
  });
});
