"use strict";
// Where people are exposed, or where fixes are: squares, hexagons or outlines on a plane, drawn by Leaflet.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll(".exposure")) draw(box);

  function draw(box) {
    const data = JSON.parse(document.getElementById(box.dataset.source).textContent);
    const controls = box.querySelector(".controls");
    const slider = controls && controls.querySelector("input[type=range]");
    const said = controls && controls.querySelector("output");
    const legend = box.querySelector(".legend");
    const frame = box.querySelector(".map");
    const map = L.map(frame, {
      crs: L.CRS.Simple, preferCanvas: true, attributionControl: false,
      zoomSnap: 0.5, minZoom: -14, maxZoom: 8, scrollWheelZoom: "center",
      zoomAnimation: false, fadeAnimation: false, markerZoomAnimation: false,
      renderer: L.canvas({ padding: 0.3 }),
    });
    if (data.unit === "metres") L.control.scale({ imperial: false }).addTo(map);
    const square = (x, y, side, options) =>
      L.rectangle([[y - side / 2, x - side / 2], [y + side / 2, x + side / 2]], options);

    const shape = (i, options) => {
      const rings = data.outline && data.outline[i];
      return rings ? L.polygon(rings.map((ring) => ring.map(([x, y]) => [y, x])), options)
        : square(data.x[i], data.y[i], data.side, options);
    };
    const sum = (list) => list.reduce((one, other) => one + other, 0);

    const ground = data.background;
    const steps = ground ? ground.numbers : data.present.map(sum);
    const most = Math.log1p(Math.max(...steps, 1));
    const base = steps.map((count, i) => {
      const options = {
        stroke: false, interactive: false, fillOpacity: 0.08 + 0.32 * Math.log1p(count) / most,
      };
      return (ground ? square(ground.x[i], ground.y[i], ground.side, options) : shape(i, options)).addTo(map);
    });

    const at = (list, slot) => (slot ? list[slot - 1] : sum(list));
    const time = (steps) => {
      if (!data.safe) return `${steps.toLocaleString("en")} ${steps === 1 ? "fix" : "fixes"}`;
      if (data.step_seconds === null) return `${steps.toLocaleString("en")} ${steps === 1 ? "step" : "steps"}`;
      const seconds = steps * data.step_seconds;
      if (seconds < 60) return `${seconds} s`;
      return seconds < 3600 ? `${Math.round(seconds / 60)} min`
        : `${(seconds / 3600).toLocaleString("en", { maximumFractionDigits: 1 })} h`;
    };
    const percent = (part) => (part > 0 && part < 0.001 ? "under 0.1%" : `${(100 * part).toFixed(1)}%`);
    const places = data.name.map((name, i) => {
      const mark = shape(i, { weight: 0.5 });
      mark.bindTooltip(() => tooltip(i), { sticky: true, opacity: 1 });
      return mark;
    });

    let measure = "risk";
    let slot = 0;
    const value = (i) => {
      if (measure === "safe") return data.safe[i];
      const risk = at(data.risk[i], slot);
      return measure === "risk" ? risk : risk / Math.max(at(data.present[i], slot), 1);
    };

    function tooltip(i) {
      const element = document.createElement("div");
      const title = document.createElement("b");
      title.textContent = data.name[i];
      const risk = at(data.risk[i], slot), present = at(data.present[i], slot);
      const lines = !data.safe ? [time(present)] : [
        `${time(risk)} at risk of ${time(present)} there (${percent(risk / Math.max(present, 1))})`,
        `${percent(data.safe[i])} ${data.share_words}`,
      ];
      element.append(title, ...lines.flatMap((line) => [line, document.createElement("br")]));
      return element;
    }

    // Up to four classes: each reaches about three times as far as the one before; shares in quarters.
    function classes() {
      if (measure === "share") return [0.25, 0.5, 0.75, 1];
      const top = Math.max(...data.name.map((_, i) => value(i)), 0);
      const ends = [top / 27, top / 9, top / 3, top];
      if (measure === "safe") return ends;
      return [...new Set(ends.map((end) => Math.ceil(end)))].filter((end) => end > 0);
    }

    function paint() {
      const style = getComputedStyle(document.documentElement);
      const shade = (name) => style.getPropertyValue(`--${name}`).trim();
      const scheme = measure === "safe" || !data.safe ? ["amount-0", "amount-1", "amount-2", "amount-3"]
        : ["unsafe-4", "unsafe-3", "unsafe-2", "unsafe-1"];
      const ends = classes();
      const shades = scheme.slice(scheme.length - ends.length);
      for (const one of base) one.setStyle({ fillColor: shade("faint") });
      places.forEach((mark, i) => {
        const found = value(i);
        if (!(found > 0)) {
          mark.remove();
          return;
        }
        const number = ends.findIndex((end) => found <= end);
        mark.setStyle({ fillColor: shade(shades[number]), fillOpacity: 0.95, color: shade("ink") });
        mark.addTo(map);
      });
      if (controls) {
        said.textContent = measure === "safe" ? "at all times" : slot ? data.slots[slot - 1] : "all";
        slider.disabled = measure === "safe";
        slider.setAttribute("aria-valuetext", said.textContent);
      }
      const word = (end) => (measure === "risk" ? time(end) : percent(end));
      legend.replaceChildren(...ends.map((end, number) => {
        const entry = document.createElement("span");
        const patch = document.createElement("i");
        patch.style.background = shade(shades[number]);
        entry.append(patch, `${number ? "to" : "up to"} ${word(end)}`);
        return entry;
      }));
      if (!ends.length) legend.textContent = "Nobody is at risk then.";
    }

    // The middle nine tenths of the time at risk: one far airport must not make a dot of the city.
    function view() {
      const weight = data.risk.map(sum);
      const span = (values) => {
        const order = values.map((_, i) => i).sort((one, other) => values[one] - values[other]);
        const all = sum(weight) || 1;
        let seen = 0;
        let low = values[order[0]], high = values[order[order.length - 1]];
        for (const i of order) {
          if (seen <= 0.04 * all) low = values[i];
          seen += weight[i];
          if (seen >= 0.96 * all) { high = values[i]; break; }
        }
        return [Math.min(low, high), Math.max(low, high)];
      };
      const [west, east] = span(data.x), [south, north] = span(data.y);
      map.fitBounds([[south - data.side, west - data.side], [north + data.side, east + data.side]]);
    }

    view();
    if (controls) {
      controls.hidden = false;
      controls.addEventListener("submit", (event) => event.preventDefault());
      controls.addEventListener("input", (event) => {
        if (event.target === slider) slot = Number(slider.value);
        else measure = event.target.value;
        paint();
      });
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
    document.addEventListener("scheme", paint);
    // A sheet is laid out after the event: the map takes its size on paper at once.
    let seen = null;
    addEventListener("beforeprint", () => {
      seen = seen || [map.getCenter(), map.getZoom()];
      frame.classList.add("printed");
      map.invalidateSize({ animate: false });
      view();
      paint();
    });
    addEventListener("afterprint", () => {
      frame.classList.remove("printed");
      map.invalidateSize({ animate: false });
      map.setView(...seen);
      seen = null;
      paint();
    });
    paint();
  }
});
