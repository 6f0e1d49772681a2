// Draws a report: reads the data of the page, makes its sections, plots and tables. Needs nothing else.
//
// When it is done the root element says how many plots were drawn (data-plots), which of them have no data
// (data-empty), and how many errors there were (data-errors): tests look at these.
'use strict';
(() => {
  const root = document.documentElement;
  root.dataset.errors = '0';
  window.addEventListener('error', () => { root.dataset.errors = String(Number(root.dataset.errors) + 1); });

  const report = JSON.parse(document.getElementById('data').textContent);
  const hidden = new Set();  // names of series that are not shown, in all plots alike
  const redraws = [];        // one for each plot
  let printedWidth = 0;      // of all plots while the page is printed, which scales them to half a sheet

  // Elements.

  const make = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    for (const child of children) {
      if (child !== null) element.append(child);
    }
    return element;
  };
  const html = (tag, attributes = {}, ...children) => make(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) => make(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
  const anchor = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');

  // Numbers.

  const digits = (value) => value === 0 ? '0' : Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
  const time = (ns) => ns < 1e3 ? `${digits(ns)} ns` : ns < 1e6 ? `${digits(ns / 1e3)} µs` : `${digits(ns / 1e6)} ms`;
  const bytes = (value) => {
    for (const [unit, name] of [[1 << 30, 'G'], [1 << 20, 'M'], [1 << 10, 'K']]) {
      if (value >= unit) return `${digits(value / unit)}${name}`;
    }
    return digits(value);
  };
  const written = (axis, value) => axis.names ? axis.names[value] ?? '' : axis.label === 'ns' ? time(value) : axis.bytes ? bytes(value) : digits(value);
  const withUnit = (plot, value) => plot.y.label === 'ns' ? time(value) : `${digits(value)} ${plot.series[0].role === 'curve' ? '' : plot.y.label}`.trim();

  // Scales: from values to places, and where ticks stand.

  const logTicks = (low, high, axis) => {
    const ticks = [];
    if (axis.bytes || axis.label === 'at once' || axis.label === 'ranks') {
      const step = Math.max(1, Math.ceil(Math.log2(high / low) / 9));
      for (let power = Math.ceil(Math.log2(low) - 1e-9); 2 ** power <= high * 1.0001; power += step) ticks.push(2 ** power);
      return ticks;
    }
    const parts = high / low > 300 ? [1] : high / low > 20 ? [1, 3] : [1, 2, 5];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; ++power) {
      for (const part of parts) {
        const at = part * 10 ** power;
        if (at >= low * 0.9999 && at <= high * 1.0001) ticks.push(at);
      }
    }
    return ticks;
  };
  const linearTicks = (low, high, axis) => {
    const rough = (high - low) / 5, unit = 10 ** Math.floor(Math.log10(rough));
    const step = axis.bytes ? 2 ** Math.round(Math.log2(rough)) : [1, 2, 5, 10].map((part) => part * unit).find((each) => each >= rough);
    const ticks = [];
    for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-6; at += step) ticks.push(Number(at.toPrecision(12)));
    return ticks;
  };
  /// As many names as there is room for, the last one among them.
  const nameTicks = (low, high, axis, room) => {
    const longest = Math.max(...axis.names.map((name) => name.length)) * 6.6 + 10;
    const step = Math.max(1, Math.ceil(longest * axis.names.length / room));
    return axis.names.map((name, at) => at).filter((at) => at >= low && at <= high && (axis.names.length - 1 - at) % step === 0);
  };
  const bounded = (axis, low, high, from, to) => {
    const part = axis.log ? (value) => Math.log(value / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
    const at = (value) => from + part(value) * (to - from);
    if (axis.names) return { at, low, high, ticks: nameTicks(low, high, axis, to - from) };
    return { at, low, high, ticks: axis.log ? logTicks(low, high, axis) : linearTicks(low, high, axis) };
  };
  const scale = (axis, values, from, to, isValueAxis) => {
    const usable = values.filter((value) => Number.isFinite(value) && (!axis.log || value > 0));
    let low = Math.min(...usable), high = Math.max(...usable);
    if (axis.high > axis.low) return bounded(axis, axis.low, axis.high, from, to);
    if (isValueAxis && axis.log) { low /= 1.25; high *= 1.25; }
    if (isValueAxis && !axis.log) { low = Math.min(0, low); high += (high - low) * 0.05; }
    if (high <= low) { high = axis.log ? low * 2 : low + 1; low = axis.log ? low / 2 : low - 1; }
    return bounded(axis, low, high, from, to);
  };

  // What a series looks like: a conduit has one colour on the whole page, and what lies below it has the same.

  const colours = 12;
  const conduits = report.conduits.filter((each) => each.measured).map((each) => each.name);
  const curves = [...new Set(report.plots.flatMap((plot) => plot.series.filter((each) => each.role === 'curve').map((each) => each.name)))];
  const dashes = { conduit: '', bare: '6 4', machine: '2 3', peer: '9 3 2 3' };
  const look = (series) => {
    if (series.role === 'machine') return { colour: 'var(--machine)', dash: dashes.machine, mark: 3 };
    if (series.role === 'curve') {
      const number = curves.indexOf(series.name);
      return { colour: `var(--s${number % colours})`, dash: ['', '7 3', '3 2.5', '10 3 2 3'][(number + Math.floor(number / colours)) % 4], mark: -1 };
    }
    const known = conduits.indexOf(series.role === 'bare' ? series.below : series.name);
    const number = known >= 0 ? known : conduits.length;
    return { colour: `var(--s${number % colours})`, dash: dashes[series.role], mark: number % 4, open: series.role === 'bare' };
  };
  const mark = (style, x, y, size = 3.4) => {
    if (style.mark < 0) return null;
    const shapes = [`M${x - size} ${y}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0Z`,
      `M${x - size} ${y - size}h${2 * size}v${2 * size}h${-2 * size}Z`,
      `M${x} ${y - size * 1.2}l${size * 1.15} ${size * 2}h${-2.3 * size}Z`,
      `M${x} ${y - size * 1.3}l${size * 1.2} ${size * 1.3}l${-size * 1.2} ${size * 1.3}l${-size * 1.2} ${-size * 1.3}Z`];
    return svg('path', { d: shapes[style.mark], fill: style.open ? 'var(--card)' : style.colour, stroke: style.colour, 'stroke-width': 1.4 });
  };
  const sampleOf = (style) => svg('svg', { width: 26, height: 12, viewBox: '0 0 26 12', 'aria-hidden': 'true' },
    svg('path', { d: 'M1 6H25', stroke: style.colour, 'stroke-width': 2, 'stroke-dasharray': style.dash }), mark(style, 13, 6));

  // One plot.

  const shown = (plot) => plot.series.filter((series) => !hidden.has(series.name) && series.samples.length > 0);

  const drawAxes = (into, plot, x, y, box) => {
    for (const tick of y.ticks) {
      into.append(svg('path', { class: 'grid', d: `M${box.left} ${y.at(tick)}H${box.right}` }),
        svg('text', { class: 'tick', x: box.left - 7, y: y.at(tick) + 4, 'text-anchor': 'end' }, written(plot.y, tick)));
    }
    for (const tick of x.ticks) {
      into.append(svg('path', { class: 'grid', d: `M${x.at(tick)} ${box.top}V${box.bottom}` }),
        svg('text', { class: 'tick', x: x.at(tick), y: box.bottom + 17, 'text-anchor': 'middle' }, written(plot.x, tick)));
    }
    into.append(svg('path', { class: 'frame', d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` }),
      svg('text', { x: (box.left + box.right) / 2, y: box.bottom + 35, 'text-anchor': 'middle' }, plot.x.label));
    const better = plot.series[0].role === 'curve' ? '' : plot.higher_is_better ? ', higher is better' : ', lower is better';
    into.append(svg('text', { class: 'note', x: box.left, y: box.top - 8 }, (plot.y.label === 'ns' ? 'time' : plot.y.label) + better));
  };

  /// The texts are for the caller to draw, above the curves.
  const drawStated = (into, plot, x, y, box) => {
    const inside = (value, of) => Math.min(Math.max(value, of.low), of.high);
    for (const band of plot.bands) {
      const there = band.samples.map(([at, , low]) => `${x.at(inside(at, x))} ${y.at(inside(low, y))}`);
      const back = band.samples.map(([at, , , high]) => `${x.at(inside(at, x))} ${y.at(inside(high, y))}`).reverse();
      into.append(svg('path', { class: 'band', d: `M${[...there, ...back].join('L')}Z` }, svg('title', {}, band.text)));
    }
    const labels = [], texts = [];
    /// Below whatever label stands there already.
    const freeRow = ({ x: at, y: row, isLeft }, text) => {
      const left = isLeft ? at : at - text.length * 5.6, right = left + text.length * 5.6;
      while (labels.some((other) => Math.abs(other.row - row) < 13 && other.left < right + 6 && left < other.right + 6)) row += 13;
      labels.push({ left, right, row });
      return row;
    };
    for (const guide of plot.guides) {
      const along = guide.vertical ? x : y;
      const [from, to] = [guide.at, guide.to ?? guide.at].map((value) => along.at(inside(value, along)));
      const [low, high] = [Math.min(from, to), Math.max(from, to)];
      const shape = guide.vertical ? { x: low, y: box.top, width: Math.max(high - low, 0.1), height: box.bottom - box.top }
        : { x: box.left, y: low, width: box.right - box.left, height: Math.max(high - low, 0.1) };
      into.append(guide.to === null
        ? svg('path', { class: 'guide', d: guide.vertical ? `M${low} ${box.top}V${box.bottom}` : `M${box.left} ${low}H${box.right}` })
        : svg('rect', { class: 'band', ...shape }));
      const room = box.right - low > 9 + guide.text.length * 5.6;
      const label = guide.vertical ? { x: room ? high + 4 : low - 4, y: box.top + 12, isLeft: room } : { x: box.right - 4, y: low - 4, isLeft: false };
      texts.push(svg('text', { class: 'note', x: label.x, y: freeRow(label, guide.text), 'text-anchor': label.isLeft ? 'start' : 'end' }, guide.text));
    }
    for (const stated of plot.stated) {
      const index = plot.series.findIndex((series) => series.name === stated.series);
      if (hidden.has(stated.series)) continue;
      into.append(svg('circle', { cx: x.at(inside(stated.x, x)), cy: y.at(inside(stated.y, y)), r: 5.5, fill: 'none', 'stroke-width': 1.8,
        stroke: index < 0 ? 'var(--ink)' : look(plot.series[index]).colour }, svg('title', {}, stated.text)));
    }
    return texts;
  };

  const drawLines = (plot, width) => {
    const height = Math.round(Math.min(Math.max(width * 0.6, 280), 400));
    const into = svg('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': plot.title });
    const series = shown(plot);
    if (series.length === 0) return { into, points: 0 };
    const samples = series.flatMap((each) => each.samples);
    const box = { left: 58, right: width - 14, top: 24, bottom: height - 44 };
    const stated = plot.stated.map((each) => [each.x, each.y]);
    const inset = plot.x.names ? 34 : 8;
    const x = scale(plot.x, [...samples, ...stated].map((each) => each[0]), box.left + inset, box.right - inset, false);
    const most = plot.x.names ? samples.map((each) => [0, each[3]]) : [];  // whiskers are drawn
    const y = scale(plot.y, [...samples, ...stated, ...most].map((each) => each[1]), box.bottom, box.top, true);
    drawAxes(into, plot, x, y, box);
    const texts = drawStated(into, plot, x, y, box);
    for (const each of series) {
      const style = look(each);
      const usable = each.samples.filter(([at, value]) => (!plot.x.log || at > 0) && (!plot.y.log || value > 0));
      const path = usable.map(([at, value]) => `${x.at(at).toFixed(1)} ${y.at(value).toFixed(1)}`).join('L');
      into.append(svg('path', { d: `M${path}`, fill: 'none', stroke: style.colour, 'stroke-width': 2, 'stroke-dasharray': style.dash, 'stroke-linejoin': 'round' }));
      for (const [at, value, least, most] of usable) {
        if (plot.x.names && most > least) into.append(svg('path', { d: `M${x.at(at)} ${y.at(least)}V${y.at(most)}`, stroke: style.colour, 'stroke-width': 2, opacity: 0.45 }));
        const shape = mark(style, x.at(at), y.at(value));
        if (shape) into.append(shape);
      }
    }
    into.append(...texts);
    return { into, points: samples.length, x, box };
  };

  /// One row for each series, the best first.
  const drawDots = (plot, width) => {
    const series = shown(plot).sort((a, b) => (a.samples[0][1] - b.samples[0][1]) * (plot.higher_is_better ? -1 : 1));
    const row = 27, height = 30 + row * Math.max(series.length, 1) + 40;
    const into = svg('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': plot.title });
    if (series.length === 0) return { into, points: 0 };
    const longest = Math.max(...series.map((each) => each.name.length));
    const box = { left: Math.min(longest * 6.8 + 14, width * 0.45), right: width - 70, top: 22, bottom: height - 40 };
    const medians = series.map((each) => each.samples[0][1]);
    const x = scale(plot.y, medians, box.left + 8, box.right - 8, true);
    for (const tick of x.ticks) {
      into.append(svg('path', { class: 'grid', d: `M${x.at(tick)} ${box.top}V${box.bottom}` }),
        svg('text', { class: 'tick', x: x.at(tick), y: box.bottom + 17, 'text-anchor': 'middle' }, written(plot.y, tick)));
    }
    into.append(svg('path', { class: 'frame', d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` }),
      svg('text', { class: 'note', x: box.left, y: box.top - 8 },
        `${plot.y.label === 'ns' ? 'time' : plot.y.label}, ${plot.higher_is_better ? 'higher' : 'lower'} is better; whiskers: all repetitions`));
    series.forEach((each, index) => {
      const style = look(each), y = box.top + row * (index + 0.5);
      const [, median, low, high] = each.samples[0];
      const clip = (value) => x.at(Math.min(Math.max(value, x.low), x.high));
      const line = svg('g', {}, svg('title', {}, `${each.name}: ${withUnit(plot, median)}, ${withUnit(plot, low)} to ${withUnit(plot, high)}; ${each.what}`),
        svg('text', { x: box.left - 8, y: y + 4, 'text-anchor': 'end' }, each.name),
        svg('path', { d: `M${clip(low)} ${y}H${clip(high)}`, stroke: style.colour, 'stroke-width': 2, opacity: 0.45 }),
        mark(style, x.at(median), y, 4.6),
        svg('text', { x: width - 4, y: y + 4, 'text-anchor': 'end' }, written(plot.y, median)));
      into.append(line);
    });
    return { into, points: series.length };
  };

  // The values at the place that the pointer is nearest to.

  const addTip = (figure, plot, drawn) => {
    const tip = html('div', { class: 'tip', hidden: '' });
    const cursor = svg('path', { class: 'cursor' });
    drawn.into.append(cursor);
    const leave = () => { tip.hidden = true; cursor.removeAttribute('d'); };
    const move = (event) => {
      const frame = drawn.into.getBoundingClientRect();
      const factor = drawn.into.viewBox.baseVal.width / frame.width;
      const pointer = (event.clientX - frame.left) * factor;
      const places = [...new Set(shown(plot).flatMap((each) => each.samples.map((sample) => sample[0])))];
      if (places.length === 0) return leave();
      const nearest = places.reduce((best, each) => Math.abs(drawn.x.at(each) - pointer) < Math.abs(drawn.x.at(best) - pointer) ? each : best);
      const rows = shown(plot).map((each) => ({ each, sample: each.samples.find((sample) => sample[0] === nearest) }))
        .filter((row) => row.sample).sort((a, b) => b.sample[1] - a.sample[1]);
      const table = html('table');
      for (const { each, sample } of rows) {
        const spread = sample[2] === sample[3] ? '' : `${written(plot.y, sample[2])} to ${written(plot.y, sample[3])}`;
        table.append(html('tr', {}, html('td', {}, sampleOf(look(each))), html('td', {}, each.name),
          html('td', {}, withUnit(plot, sample[1])), html('td', { class: 'dim' }, spread)));
      }
      tip.replaceChildren(html('b', {}, `${written(plot.x, nearest)} ${plot.x.label}`), table);
      tip.hidden = false;
      cursor.setAttribute('d', `M${drawn.x.at(nearest)} ${drawn.box.top}V${drawn.box.bottom}`);
      const around = figure.getBoundingClientRect();
      const wanted = event.clientX - around.left + 16;
      const left = wanted + tip.offsetWidth > around.width - 8 ? event.clientX - around.left - tip.offsetWidth - 16 : wanted;
      tip.style.left = `${Math.max(8, Math.min(left, around.width - tip.offsetWidth - 8))}px`;
      tip.style.top = `${frame.top - around.top + 26}px`;
    };
    drawn.into.addEventListener('pointermove', move);
    drawn.into.addEventListener('pointerdown', move);
    drawn.into.addEventListener('pointerleave', leave);
    return tip;
  };

  const legendOf = (list, kind) => {
    const names = html('ul', { class: kind });
    const seen = new Set();
    list.forEach((series) => {
      if (seen.has(series.name)) return;
      seen.add(series.name);
      const button = html('button', { type: 'button', 'aria-pressed': String(!hidden.has(series.name)), title: series.what },
        sampleOf(look(series)), series.name);
      button.addEventListener('click', () => {
        if (!hidden.delete(series.name)) hidden.add(series.name);
        redraws.forEach((redraw) => redraw());
      });
      names.append(html('li', {}, button));
    });
    return names;
  };

  const tableOf = (plot) => {
    const isDots = plot.form === 'dots';
    const places = [...new Set(plot.series.flatMap((each) => each.samples.map((sample) => sample[0])))].sort((a, b) => a - b);
    const table = html('table', {}, html('tr', {}, html('th', {}, ''),
      ...places.map((place) => html('th', { class: 'number' }, isDots ? 'median' : written(plot.x, place))), html('th', {}, 'measured by')));
    for (const each of plot.series) {
      const cells = places.map((place) => {
        const sample = each.samples.find((known) => known[0] === place);
        return html('td', { class: 'number' }, sample ? withUnit(plot, sample[1]) : '');
      });
      table.append(html('tr', {}, html('td', {}, each.name), ...cells, html('td', {}, each.what ? `${each.what}; ` : '', html('code', {}, each.command))));
    }
    return html('details', {}, html('summary', {}, 'values, and how to repeat them'), html('div', { class: 'scroll' }, table));
  };

  const figureOf = (plot) => {
    const drawing = html('div');
    const legend = html('div');
    const figure = html('figure', { id: plot.id }, html('h3', {}, plot.title), html('figcaption', {}, plot.text), legend, drawing, tableOf(plot));
    let tip = null;
    const redraw = () => {
      const width = printedWidth || Math.max(280, Math.round(drawing.clientWidth || 560));
      const drawn = plot.form === 'dots' ? drawDots(plot, width) : drawLines(plot, width);
      figure.dataset.points = String(drawn.points);
      drawing.replaceChildren(drawn.points > 0 ? drawn.into : html('p', { class: 'dim' }, 'Nothing is chosen.'));
      if (tip) tip.remove();
      tip = plot.form !== 'dots' && drawn.points > 0 ? addTip(figure, plot, drawn) : null;
      if (tip) figure.append(tip);
      if (plot.form !== 'dots') legend.replaceChildren(legendOf(plot.series, 'legend'));  // dots have their names beside them
    };
    redraws.push(redraw);
    return figure;
  };

  // The page.

  const headOf = () => {
    const machine = report.machine;
    const memory = `${digits(machine.memory_bytes / 2 ** 30)} GiB`;
    return [html('h1', {}, `Aqueduct on ${machine.host}`),
      html('p', { class: 'dim' }, `${machine.cpu}, ${machine.cores} core${machine.cores === 1 ? '' : 's'}, ${memory}, ${machine.system}. ` +
        `Aqueduct ${report.version}, ${report.date.replace('T', ' ').replace('Z', ' UTC')}${report.quick ? ', a quick run: few repetitions' : ''}.` +
        (machine.load >= 0.5 ? ` Other programs wanted ${digits(machine.load)} cores when it began: on an idle machine the figures are steadier.` : ''))];
  };

  const failuresOf = () => report.failures.length === 0 ? null
    : html('div', { class: 'failures', id: 'failures' }, html('h3', {}, `${report.failures.length} of the runs came to nothing`),
      html('ul', {}, ...report.failures.map((each) => html('li', {}, `${each.what}: ${each.why} `, html('code', {}, each.command)))));

  /// The best value of the first conduit in a plot, beside what the bare machine does there.
  const tileOf = ([id, label, choose]) => {
    const ourOwn = (plot) => plot.series.find((each) => each.name === conduits[0]);
    const plots = report.plots.filter((each) => (each.id === id || (id === 'random-access' && each.id.startsWith(id))) && ourOwn(each));
    if (plots.length === 0) return null;
    const plot = plots.reduce((best, each) => ourOwn(each).samples[0][1] > ourOwn(best).samples[0][1] ? each : best);  // the best version
    const ours = ourOwn(plot);
    const sample = choose(ours.samples);
    const limit = plot.series.find((each) => each.role === 'machine');
    const beside = limit && limit.samples.find((each) => each[0] === sample[0]);
    return html('a', { class: 'tile', href: `#${plot.id}`, style: 'text-decoration: none' },
      html('small', {}, label(plot.form === 'dots' ? '' : bytes(sample[0]))), html('b', {}, withUnit(plot, sample[1])),
      html('small', {}, beside ? `this machine: ${withUnit(plot, beside[1])}, ${limit.what}` : conduits[0]));
  };
  const first = (samples) => samples[0];
  const mebibyte = (samples) => samples.find((each) => each[0] === 2 ** 20) || samples[samples.length - 1];
  const tiles = [
    ['put-latency', (size) => `put of ${size} bytes`, first],
    ['am-short', () => 'short message and reply', first],
    ['put-bandwidth', (size) => `puts of ${size}`, mebibyte],
    ['rate-short', () => 'short messages in a row', first],
    ['barrier', () => 'barrier of two ranks', first],
    ['random-access', () => 'RandomAccess', first],
  ];

  const presentOf = () => {
    const table = html('table', {}, html('tr', {}, html('th', {}, ''), html('th', {}, 'what it is'), html('th', {}, '')));
    for (const each of [...report.conduits, ...report.peers]) {
      table.append(html('tr', {}, html('td', {}, each.name), html('td', {}, each.summary), html('td', {}, each.measured ? 'measured' : `not measured: ${each.reason}`)));
    }
    return html('section', { id: 'what' }, html('h2', {}, 'What was measured'),
      html('p', {}, 'Each run is a job of its own on this host. Conduits but smp were run between ranks that share no memory; ' +
        'Open MPI, MPICH, libfabric and UDP sockets are measured by themselves, in turns with the conduit above them, between the same ranks.'),
      html('div', { class: 'scroll' }, table));
  };

  const main = document.getElementById('main');
  const sections = report.sections.filter((section) => report.plots.some((plot) => plot.section === section.title));
  const measured = report.plots.flatMap((plot) => plot.series).filter((series) => series.role !== 'curve');
  main.replaceChildren(...headOf(),
    html('nav', { 'aria-label': 'sections' }, ...sections.map((section) => html('a', { href: `#${anchor(section.title)}` }, section.title)),
      html('a', { href: '#what' }, 'What was measured')));
  const failures = failuresOf();
  if (failures) main.append(failures);
  main.append(html('div', { class: 'tiles' }, ...tiles.map(tileOf)));
  const chips = html('div');
  redraws.push(() => chips.replaceChildren(legendOf(measured, 'legend all')));
  main.append(html('p', { class: 'dim' }, 'Solid: Aqueduct\'s conduits. Dashed, in the same colour: what lies below one, by itself. Dotted: the bare machine. ',
    html('span', { class: 'screen' }, 'A click hides a name on the whole page; the values are where the pointer is.')), chips);
  for (const section of sections) {
    main.append(html('section', { id: anchor(section.title) }, html('h2', {}, section.title), html('p', {}, section.text),
      html('div', { class: 'plots' }, ...report.plots.filter((plot) => plot.section === section.title).map(figureOf))));
  }
  main.append(presentOf(), html('footer', {}, `Made in ${digits(report.seconds)} s by: `, html('code', {}, report.command)));

  const redrawAll = () => redraws.forEach((redraw) => redraw());
  redrawAll();
  let width = main.clientWidth;
  window.addEventListener('resize', () => {
    if (main.clientWidth === width) return;
    width = main.clientWidth;
    redrawAll();
  });
  const drawFor = (width) => () => {
    printedWidth = width;
    redrawAll();
  };
  window.addEventListener('beforeprint', drawFor(400));
  window.addEventListener('afterprint', drawFor(0));
  const figures = [...document.querySelectorAll('figure')];
  root.dataset.plots = String(figures.length);
  root.dataset.empty = figures.filter((figure) => Number(figure.dataset.points) === 0).map((figure) => figure.id).join(' ');
})();
