// A swarm in space on a plain canvas: painter's order, picking, news from the server; no library. projection.js and frame.js come first.
const TURN = {space: [-0.5, 0.4, 1], plan: [0, Math.PI / 2, 0], elevation: [0, 0, 0]} // yaw, pitch, perspective
const TWEEN_MS = 160

export function render({model, el}) {
  const words = model.words
  const frame = node("div", "stage", el)
  const space = node("div", "space", frame)
  const view = node("canvas", "view", space)
  view.tabIndex = 0
  view.setAttribute("role", "application")
  view.setAttribute("aria-label", "The swarm in space. Arrow keys turn it, plus and minus zoom, n and p go to the next and previous UAV, 0 shows all.")
  const bar = node("div", "bar", space)
  const tip = node("div", "tip", space)
  const busy = node("div", "busy", space)
  const legend = node("div", "legend", frame)
  const note = node("div", "legend plain", frame)
  tip.hidden = true
  const pen = view.getContext("2d")

  // ---- what is shown
  let looks = "space", follow = false, estimated = false
  let camera = {turn: [...TURN.space], zoom: 1, pan: [0, 0]}
  let drawn = null, from = null, since = 0 // the swarm as drawn, and as it was before this cycle
  let theme = {}
  let asked = 0
  const redraw = () => { if (!asked) { asked = requestAnimationFrame(draw) } }

  const slots = frameBar(frame, model, words, () => theme, redraw)

  // ---- buttons
  const choice = (entries, pick, chosen) => {
    const group = node("div", "group", bar)
    const all = entries.map(([key, title]) => {
      const b = node("button", "", group, title)
      b.addEventListener("click", () => { pick(key); mark(key) })
      return [key, b]
    })
    const mark = (key) => all.forEach(([k, b]) => b.setAttribute("aria-pressed", String(k === key)))
    mark(chosen)
    return mark
  }
  choice([["space", "3-D"], ["plan", "Plan"], ["elevation", "Elevation"]], (key) => { looks = key; home() }, "space")
  const markFollow = choice([[false, "Swarm"], [true, "Follow UAV"]], (key) => { follow = key; home() }, false)
  choice([[false, "True"], [true, "Estimated"]], (key) => { estimated = key; drawn = null; redraw() }, false)
  const home = () => { camera = {turn: [...TURN[looks]], zoom: follow ? 3.2 : 1, pan: [0, 0]}; redraw() }

  // ---- geometry
  let box, centre, reach, station, away, lens // of the scene; lens: how a point becomes a pixel
  const measure = () => {
    const {low, high, buildings, gcs} = model.still
    const lo = [low[0], low[1], 0], hi = [...high]
    for (const b of buildings) { for (let i = 0; i < 3; i++) { lo[i] = Math.min(lo[i], b[i]); hi[i] = Math.max(hi[i], b[i + 3]) } }
    box = {lo, hi}
    centre = lo.map((x, i) => (x + hi[i]) / 2)
    reach = Math.hypot(...lo.map((x, i) => (hi[i] - x) / 2))
    const way = gcs.map((x, i) => x - centre[i])
    away = Math.hypot(...way)
    const near = 1.15 * reach
    station = away <= 1.5 * near ? gcs : way.map((x, i) => centre[i] + (x * near) / away) // far away: pulled in, drawn broken
  }
  const built = () => model.still.buildings.flatMap((b) => [0, 1, 2, 3].map((i) => [b[i & 1 ? 3 : 0], b[i & 2 ? 4 : 1], 0]))
  const corners = () => [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [0, 1, 2].map((d) => ((i >> d) & 1 ? box.hi[d] : model.still.low[d])))
  const raw = (p, turn) => project(p, turn, {centre, reach})
  const setLens = (w, h) => {
    const seen = [...corners(), ...built(), station].map((p) => raw(p, TURN[looks]))
    const span = (i) => [Math.min(...seen.map((p) => p[i])), Math.max(...seen.map((p) => p[i]))]
    const [x0, x1] = span(0), [y0, y1] = span(1)
    const top = bar.offsetHeight + 20, bottom = 34, side = 40
    const scale = Math.min((w - 2 * side) / (x1 - x0), (h - top - bottom) / (y1 - y0))
    lens = {scale, w, h, mid: [w / 2, top + (h - top - bottom) / 2], x: (x0 + x1) / 2, y: (y0 + y1) / 2}
    if (follow && drawn && model.focus) { const [x, y] = raw(at(drawn, model.focus - 1), camera.turn); lens.x = x; lens.y = y }
  }
  const pixel = (p) => {
    const [x, y, far] = raw(p, camera.turn), s = lens.scale * camera.zoom
    return [lens.mid[0] + (x - lens.x) * s + camera.pan[0], lens.mid[1] - (y - lens.y) * s + camera.pan[1], far]
  }
  const at = (swarm, i, column = estimated ? 3 : 0) => [swarm[9 * i + column], swarm[9 * i + column + 1], swarm[9 * i + column + 2]]
  const place = (n) => (n === 0 ? station : at(drawn, n - 1))
  const hidden = (p, boxes = model.still.buildings) => boxes.some((b) => behind(p, b, camera.turn, {centre, reach}))

  // ---- painting
  const line = (points, colour, width, {dash = [], alpha = 1, bend = 0} = {}) => {
    pen.beginPath()
    points.forEach((p, i) => {
      const [x, y] = pixel(p)
      if (i === 0) { pen.moveTo(x, y); return }
      if (bend) { const [u, v] = pixel(points[i - 1]); pen.quadraticCurveTo((u + x) / 2 - (y - v) * bend, (v + y) / 2 + (x - u) * bend, x, y) } else { pen.lineTo(x, y) }
    })
    pen.strokeStyle = colour; pen.lineWidth = width; pen.globalAlpha = alpha; pen.setLineDash(dash)
    pen.stroke()
    pen.setLineDash([]); pen.globalAlpha = 1
  }
  const label = (text, x, y, align = "left") => {
    pen.font = `14px ${theme.font}`; pen.textAlign = align; pen.textBaseline = "middle"
    pen.lineWidth = 4; pen.strokeStyle = theme.paper; pen.strokeText(text, x, y)
    pen.fillStyle = theme.ink; pen.fillText(text, x, y)
  }
  const ground = () => {
    const step = [10, 20, 50, 100, 200].find((s) => Math.max(box.hi[0] - box.lo[0], box.hi[1] - box.lo[1]) / s <= 10) ?? 500
    const lo = [0, 1].map((i) => Math.floor(box.lo[i] / step - 0.3) * step), hi = [0, 1].map((i) => Math.ceil(box.hi[i] / step + 0.3) * step)
    if (looks === "elevation" && camera.turn[1] < 0.05) { line([[lo[0], 0, 0], [hi[0], 0, 0]], theme.ink, 1, {alpha: 0.5}) } else {
      for (let x = lo[0]; x <= hi[0]; x += step) { line([[x, lo[1], 0], [x, hi[1], 0]], theme.ink, 1, {alpha: 0.1}) }
      for (let y = lo[1]; y <= hi[1]; y += step) { line([[lo[0], y, 0], [hi[0], y, 0]], theme.ink, 1, {alpha: 0.1}) }
    }
    return step
  }
  const walls = (front) => { for (const b of farFirst()) { wallsOf(b, front) } }
  const farFirst = () => {
    const depth = (b) => raw([0, 1, 2].map((i) => (b[i] + b[i + 3]) / 2), camera.turn)[2]
    return [...model.still.buildings].sort((a, b) => depth(b) - depth(a))
  }
  const wallsOf = (b, front) => {
    const sides = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]
    for (const [axis, end] of sides) {
      const [u, v] = [0, 1, 2].filter((d) => d !== axis)
      const four = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([i, j]) => { const p = []; p[axis] = b[axis + 3 * end]; p[u] = b[u + 3 * i]; p[v] = b[v + 3 * j]; return p })
      const middle = four[0].map((_, d) => (four[0][d] + four[2][d]) / 2)
      const out = [0, 0, 0]; out[axis] = end ? 1 : -1
      if (hidden(middle.map((x, d) => x + out[d] * 0.01), [b]) === front) { continue }
      pen.beginPath()
      four.forEach((p, i) => { const [x, y] = pixel(p); if (i) { pen.lineTo(x, y) } else { pen.moveTo(x, y) } })
      pen.closePath()
      pen.fillStyle = theme.ink; pen.globalAlpha = front ? [0.2, 0.14, 0.1][axis] : 0.05; pen.fill()
      pen.globalAlpha = front ? 0.45 : 0.15; pen.strokeStyle = theme.ink; pen.lineWidth = 1; pen.stroke(); pen.globalAlpha = 1
    }
  }
  const hops = () => {
    const best = new Map() // the whole frame: one line per hop, with the best that became of it
    for (const a of slots.attempts()) {
      const key = `${a.loop} ${a.direction} ${a.hop}`
      if (slots.replaying()) { if (slots.over(a) || slots.onAir(a)) { best.set(`${key} ${a.attempt}`, a) } } else if (!best.has(key) || a.fate === ARRIVED) { best.set(key, a) }
    }
    for (const a of best.values()) {
      const mine = a.loop + 1 === model.focus, now = slots.onAir(a), sent = slots.sent(a)
      const alpha = now ? 1 : slots.replaying() ? (sent ? 0.3 : 0.12) : mine ? 0.95 : sent ? 0.5 : 0.2
      line([place(a.tx), place(a.rx)], slots.colour(a), now ? 4 : mine ? 2.6 : 1.4, {alpha, dash: sent ? (a.direction ? [7, 4] : []) : [2, 4], bend: a.direction ? 0.04 : -0.04})
    }
  }
  const dots = (behind) => {
    const N = drawn.length / 9, small = N > 200
    const order = Array.from({length: N}, (_, i) => [i, ...pixel(at(drawn, i))]).filter(([i]) => hidden(at(drawn, i)) === behind).sort((a, b) => b[3] - a[3])
    for (const [i, x, y] of order) {
      line([at(drawn, i, 6), at(drawn, i)], theme.ink, 1, {alpha: behind ? 0.12 : 0.3})
      const [u, v] = pixel(at(drawn, i, 6))
      pen.globalAlpha = behind ? 0.3 : 0.6; pen.strokeStyle = theme.ink; pen.lineWidth = 1
      pen.beginPath(); pen.moveTo(u - 3, v); pen.lineTo(u + 3, v); pen.moveTo(u, v - 3); pen.lineTo(u, v + 3); pen.stroke()
      pen.globalAlpha = behind ? 0.55 : 1
      pen.beginPath(); pen.arc(x, y, small ? 3.2 : 5.5, 0, 7)
      pen.fillStyle = words.modes[model.moving.modes[i]].colour; pen.fill()
      pen.strokeStyle = theme.edge; pen.lineWidth = small ? 0.7 : 1.2; pen.stroke(); pen.globalAlpha = 1
    }
  }
  const ring = () => {
    if (!model.focus || model.focus > drawn.length / 9) { return }
    const p = at(drawn, model.focus - 1), a = model.ahead
    line([p, [p[0], p[1], 0]], words.focus, 1, {alpha: 0.7, dash: [2, 3]})
    const [x, y] = pixel(p)
    pen.beginPath(); pen.arc(x, y, 10, 0, 7); pen.strokeStyle = words.focus; pen.lineWidth = 3; pen.stroke()
    if (a.uav === model.focus && a.cycle === model.moving.cycle) {
      const path = (way) => Array.from({length: way.length / 3}, (_, i) => [way[3 * i], way[3 * i + 1], way[3 * i + 2]])
      for (const [way, colour, dash] of [[a.references, theme.ink, [2, 4]], [a.without, words.without, [8, 4]], [a.served, theme.accent, []]]) {
        const points = path(way)
        line(points, theme.paper, 5, {alpha: 0.6}); line(points, colour, 2.6, {dash})
        const [u, v] = pixel(points[points.length - 1])
        pen.beginPath(); pen.arc(u, v, 3.6, 0, 7); pen.fillStyle = colour; pen.fill()
      }
    }
    label(`UAV ${model.focus}`, x + 13, y - 11)
  }
  const groundStation = () => {
    const [x, y] = pixel(station)
    pen.beginPath(); pen.moveTo(x, y - 9); pen.lineTo(x + 8, y + 6); pen.lineTo(x - 8, y + 6); pen.closePath()
    pen.fillStyle = theme.ink; pen.fill()
    const far = station !== model.still.gcs
    const text = far ? `ground station, ${Math.round(away)} m away` : "ground station"
    if (far) { const [u, v] = pixel(centre), d = Math.hypot(u - x, v - y) || 1, ex = (u - x) / d, ey = (v - y) / d
      for (const s of [22, 28]) { line2(x + ex * s - ey * 7, y + ey * s + ex * 7, x + ex * s + ey * 7, y + ey * s - ex * 7) } }
    const right = x < lens.w / 2
    label(text, Math.min(Math.max(x, 8), lens.w - 8) + (right ? -8 : 8), y + 20, right ? "left" : "right")
  }
  const line2 = (a, b, c, d) => { pen.beginPath(); pen.moveTo(a, b); pen.lineTo(c, d); pen.strokeStyle = theme.ink; pen.lineWidth = 1.5; pen.stroke() }
  const compass = (step) => {
    const s = lens.scale * camera.zoom, x = lens.w - 46, y = lens.h - 40
    for (const [d, text] of [[[1, 0, 0], "E"], [[0, 1, 0], "N"], [[0, 0, 1], "up"]]) {
      const [yaw, pitch] = camera.turn, r = Math.cos(yaw) * d[0] + Math.sin(yaw) * d[1], f = -Math.sin(yaw) * d[0] + Math.cos(yaw) * d[1]
      const u = f * Math.sin(pitch) + d[2] * Math.cos(pitch)
      if (Math.hypot(r, u) < 0.2) { continue }
      line2(x, y, x + 22 * r, y - 22 * u)
      label(text, x + 31 * r, y - 31 * u, "center")
    }
    if (!camera.turn[2]) { line2(lens.w - 90 - step * s, lens.h - 16, lens.w - 90, lens.h - 16); label(`${step} m`, lens.w - 90 - (step * s) / 2, lens.h - 27, "center") }
  }
  function draw(time) {
    asked = 0
    if (!model.moving.swarm || !model.still.gcs || !view.clientWidth) { return }
    theme = coloursOf(frame)
    const goal = model.moving.swarm, t = from ? Math.min((time - since) / TWEEN_MS, 1) : 1
    if (t < 1) { drawn = drawn?.length === goal.length ? drawn : new Float32Array(goal.length); for (let i = 0; i < goal.length; i++) { drawn[i] = from[i] + (goal[i] - from[i]) * t } redraw() } else { drawn = Float32Array.from(goal); from = null }
    const [w, h] = fit(view)
    measure(); setLens(w, h)
    pen.clearRect(0, 0, w, h)
    const step = ground()
    walls(false); dots(true); walls(true); hops(); dots(false); groundStation(); ring(); compass(step)
    slots.draw()
    view.dataset.cycle = model.moving.cycle
    view.dataset.focus = model.focus
    view.dataset.resting = String(!asked)
  }

  // ---- words beside the picture
  const sayLegend = () => {
    legend.replaceChildren()
    const modes = Array.from(model.moving.modes ?? [])
    words.modes.forEach((mode, i) => {
      const entry = node("span", "", legend)
      node("span", "dot", entry).style.background = mode.colour
      entry.append(`${mode.name} ${modes.filter((m) => m === i).length}`)
    })
    node("span", "", legend, "+ reference")
  }
  const sayAhead = () => {
    const a = model.ahead
    note.replaceChildren()
    if (!a.uav || a.uav !== model.focus || a.cycle !== model.moving.cycle) { return }
    node("span", "", note, `In ${a.cycles} cycles:`)
    for (const [cls, colour, text] of [["key dashes", words.without, `${a.onboard ? "onboard law" : "not served"} ${a.off[0].toFixed(1)} m off`], ["key", "var(--accent)", `with command ${a.off[1].toFixed(1)} m off`]]) {
      const entry = node("span", "", note)
      node("span", cls, entry).style.borderColor = colour
      entry.append(text)
    }
  }

  // ---- pointers and keys
  const pointers = new Map()
  let moved = 0, apart = 0
  const nearest = (event) => {
    const r = view.getBoundingClientRect(), x = event.clientX - r.left, y = event.clientY - r.top
    let best = -1, least = 16
    for (let i = 0; drawn && i < drawn.length / 9; i++) { const [u, v] = pixel(at(drawn, i)), d = Math.hypot(u - x, v - y); if (d < least) { best = i; least = d } }
    return best
  }
  const zoomBy = (factor) => { camera.zoom = Math.min(Math.max(camera.zoom * factor, 0.3), 30); redraw() }
  const turnBy = (dx, dy) => {
    if (looks === "space") { camera.turn[0] += dx * 0.008; camera.turn[1] = Math.min(Math.max(camera.turn[1] + dy * 0.006, 0), Math.PI / 2) } else { camera.pan[0] += dx; camera.pan[1] += dy }
    redraw()
  }
  view.addEventListener("pointerdown", (e) => { view.setPointerCapture(e.pointerId); pointers.set(e.pointerId, [e.clientX, e.clientY]); moved = 0; apart = 0; tip.hidden = true })
  view.addEventListener("pointermove", (e) => {
    const last = pointers.get(e.pointerId)
    if (!last) { hover(e); return }
    const dx = e.clientX - last[0], dy = e.clientY - last[1]
    pointers.set(e.pointerId, [e.clientX, e.clientY])
    moved += Math.hypot(dx, dy)
    if (pointers.size === 2) {
      const [a, b] = [...pointers.values()], d = Math.hypot(a[0] - b[0], a[1] - b[1])
      if (apart) { zoomBy(d / apart) }
      apart = d
    } else if (e.shiftKey || e.buttons === 2) { camera.pan[0] += dx; camera.pan[1] += dy; redraw() } else { turnBy(dx, dy) }
  })
  const release = (e) => {
    if (pointers.delete(e.pointerId) && e.type === "pointerup" && moved < 5) { const i = nearest(e); if (i >= 0) { model.send_msg({picked: i + 1}) } }
    apart = 0
  }
  view.addEventListener("pointerup", release)
  view.addEventListener("pointercancel", release)
  view.addEventListener("pointerleave", () => { tip.hidden = true })
  view.addEventListener("contextmenu", (e) => e.preventDefault())
  view.addEventListener("dblclick", home)
  view.addEventListener("wheel", (e) => { e.preventDefault(); zoomBy(Math.exp(-e.deltaY * 0.0015)) }, {passive: false})
  const hover = (e) => {
    const i = nearest(e)
    tip.hidden = i < 0
    view.style.cursor = i < 0 ? "" : "pointer"
    if (i < 0) { return }
    const p = at(drawn, i, 0), r = at(drawn, i, 6)
    tip.textContent = `UAV ${i + 1}: ${words.modes[model.moving.modes[i]].name}, ${Math.hypot(p[0] - r[0], p[1] - r[1], p[2] - r[2]).toFixed(1)} m off`
    const [x, y] = pixel(at(drawn, i))
    tip.style.left = `${Math.min(x + 14, space.clientWidth - tip.offsetWidth - 6)}px`
    tip.style.top = `${Math.max(y - 34, 4)}px`
  }
  view.addEventListener("keydown", (e) => {
    const N = drawn ? drawn.length / 9 : 0
    const keys = {ArrowLeft: () => turnBy(-16, 0), ArrowRight: () => turnBy(16, 0), ArrowUp: () => turnBy(0, -16), ArrowDown: () => turnBy(0, 16), "+": () => zoomBy(1.2), "=": () => zoomBy(1.2), "-": () => zoomBy(1 / 1.2), 0: home, n: () => model.send_msg({picked: (model.focus % N) + 1}), p: () => model.send_msg({picked: ((model.focus - 2 + N) % N) + 1})}
    if (keys[e.key]) { e.preventDefault(); keys[e.key]() }
  })

  // ---- news from the server
  let shown = {}
  const showMoving = () => {
    const next = model.moving
    const one = shown.flight === next.flight && Math.abs(shown.cycle - next.cycle) === 1 && drawn?.length === next.swarm?.length
    if (shown.cycle !== next.cycle || shown.flight !== next.flight) { slots.reset() }
    from = one && !matchMedia("(prefers-reduced-motion: reduce)").matches ? Float32Array.from(drawn) : null
    since = performance.now()
    shown = {flight: next.flight, cycle: next.cycle}
    slots.take(); sayLegend(); sayAhead(); redraw()
  }
  const showBusy = () => { busy.textContent = model.busy; busy.hidden = !model.busy }
  model.on("moving", showMoving)
  model.on("still", redraw)
  model.on("ahead", () => { sayAhead(); redraw() })
  model.on("focus", () => { sayAhead(); redraw() })
  model.on("playing", () => { if (model.playing) { slots.reset() } slots.say(); redraw() })
  model.on("busy", showBusy)
  frame.addEventListener("transitionend", redraw) // the theme was switched: text and accent changed their colour
  // What stands above the tab takes as much room as it needs; the tab fills the rest of the window.
  let above = 0, window_ = ""
  const fill = () => {
    const grid = el.getRootNode().host?.getRootNode?.().host // the layout that this component lies in
    const size = `${innerWidth} ${innerHeight}`
    const top = el.getBoundingClientRect().top + scrolled(el)
    if (size !== window_) { window_ = size; above = 0 }
    if (grid && top > above) { above = top; grid.style.setProperty("--above", `${Math.ceil(top) + 12}px`) } // never less: text above may come and go
  }
  const scrolled = (from) => { let sum = 0; for (let at = from; at; at = at.parentNode ?? at.host) { sum += at.scrollTop ?? 0 } return sum }
  const watcher = new ResizeObserver(() => { fill(); redraw() })
  watcher.observe(space)
  watcher.observe(document.body)
  model.on("remove", () => { watcher.disconnect(); slots.stop(); cancelAnimationFrame(asked) })
  view.scene = {
    where: (uav) => { const [x, y] = pixel(at(drawn, uav - 1)), r = view.getBoundingClientRect(); return [r.left + x, r.top + y] },
    lit: () => slots.attempts().flatMap((a, e) => (slots.onAir(a) ? [e] : [])),
    camera: () => [...camera.turn, camera.zoom, ...camera.pan],
    toSlot: slots.toSlot,
  }
  showBusy(); showMoving(); markFollow(false)
}
