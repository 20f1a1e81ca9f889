// One light component: a native range to drag, native boxes to type in, every text set as text.
const node = (tag, cls, content) => {
  const made = document.createElement(tag)
  if (cls) { made.className = cls }
  if (content !== undefined) { made.textContent = content }
  return made
}

const button = (icon, says, cls) => {
  const made = node("button", cls, icon)
  made.type = "button"
  made.title = says
  made.setAttribute("aria-label", says)
  return made
}

const labelled = (words, input, title) => {
  const label = node("label", "field")
  label.title = title
  label.append(node("span", "", words), input)
  return label
}

export function render({model, el}) {
  const bar = node("div", "timeline")
  bar.tabIndex = 0
  bar.setAttribute("role", "group")
  bar.setAttribute("aria-label", "Timeline: space plays and pauses, arrow keys step")
  const back = button("◂", "One cycle back")
  const play = button("▶", "Play: fly on from this cycle with the sliders as they are", "play")
  const on = button("▸", "One cycle forward")
  const range = node("input")
  range.type = "range"
  range.step = 1
  range.min = 0
  range.dataset.timeline = "cycle"
  range.setAttribute("aria-label", "Cycle of the flight")
  const marks = node("div", "marks")
  const track = node("div", "track")
  track.append(range, marks)
  const numeric = (name, width) => {
    const box = node("input")
    box.type = "number"
    box.step = 1
    box.dataset.timeline = name
    box.style.width = width
    return box
  }
  const cycle = numeric("k", "4em")
  const seed = numeric("seed", "4em")
  const uav = numeric("focus", "3.7em")
  const time = node("span", "time")
  const speed = node("select")
  const policy = node("select")
  policy.dataset.timeline = "policy"
  speed.dataset.timeline = "speed"
  const pick = button("auto", "Let the page pick the UAV that shows most in this cycle", "small")
  const hold = node("input")
  hold.type = "checkbox"
  hold.dataset.timeline = "hold"
  const again = button("Fly again with these settings", "", "again")
  again.dataset.timeline = "again"
  const says = node("span", "status")
  says.setAttribute("role", "status")
  const first = node("div", "row")
  first.append(back, play, on, track, labelled("k", cycle, "Cycle of the flight"), time, labelled("", speed, "Cycles per second when playing"))
  const second = node("div", "row")
  second.append(
    labelled("", policy, "Policy that flies it"),
    labelled("seed", seed, "Seed of mission, channel and noise"),
    labelled("UAV", uav, "UAV in focus, on every tab"), pick,
    labelled("hold", hold, "On: the action in focus stays while sliders move. Off: whatever the allocator sends."),
    again, says,
  )
  // What would take long, which the visitor starts, and what takes long, which the visitor can stop.
  const third = node("div", "row heavy")
  const heavy = node("span", "question")
  heavy.setAttribute("role", "status")
  const start = button("Start", "", "again")
  start.dataset.timeline = "start"
  const cancel = button("Cancel", "", "again")
  cancel.dataset.timeline = "cancel"
  third.append(heavy, start, cancel)
  bar.append(first, second, third)
  el.append(bar)

  // A single move goes out at once; of a drag, what has piled up every 40 ms.
  // Moves are counted, and the server says which was its last: an answer to an older move never moves the range back.
  const PAUSE_MS = 40
  let pending = null
  let timer = null
  let sent = 0
  let moves = 0
  const flush = () => {
    timer = null
    sent = performance.now()
    if (pending !== null) { model.send_msg({cycle: pending, move: moves += 1}); pending = null }
  }
  const tell = (k) => {
    const share = model.view.last ? k / model.view.last : 0
    range.style.setProperty("--at", `${100 * share}%`)
    time.textContent = `of ${model.view.last}, ${(k * model.view.Ts).toFixed(2)} s`
    if (cycle !== cycle.getRootNode().activeElement) { cycle.value = k }
  }
  const go = (k) => {
    pending = k
    tell(k)
    timer ??= setTimeout(flush, Math.max(0, sent + PAUSE_MS - performance.now()))
  }
  range.addEventListener("input", () => go(Number(range.value)))
  play.addEventListener("click", () => model.send_msg({play: !model.view.playing}))
  back.addEventListener("click", () => model.send_msg({step: -1}))
  on.addEventListener("click", () => model.send_msg({step: 1}))
  pick.addEventListener("click", () => model.send_msg({focus: 0}))
  again.addEventListener("click", () => model.send_msg({again: true}))
  start.addEventListener("click", () => model.send_msg({start: true}))
  cancel.addEventListener("click", () => model.send_msg({cancel: true}))
  hold.addEventListener("change", () => model.send_msg({hold: hold.checked}))
  policy.addEventListener("change", () => model.send_msg({policy: policy.value}))
  speed.addEventListener("change", () => model.send_msg({speed: Number(speed.value)}))
  // What cannot be is refused in words by the server; the box goes back to what is in force.
  const typed = (box, name, low, high, now) => box.addEventListener("change", () => {
    const v = Number(box.value)
    const whole = box.value !== "" && Number.isInteger(v)
    if (whole) { model.send_msg({[name]: v}) }
    if (!whole || v < low() || v > high()) { box.value = now() }
  })
  typed(cycle, "cycle", () => 0, () => model.view.last, () => model.view.cycle)
  typed(seed, "seed", () => 0, () => model.view.seeds, () => model.view.seed)
  typed(uav, "focus", () => 1, () => model.view.uavs, () => model.view.uav)
  bar.addEventListener("keydown", (event) => {
    const at = event.composedPath()[0]
    if (event.key === " " && (at === bar || at === range)) { event.preventDefault(); model.send_msg({play: !model.view.playing}) }
    if (at === bar && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      event.preventDefault()
      model.send_msg({step: event.key === "ArrowRight" ? 1 : -1})
    }
  })

  const show = () => {
    const v = model.view
    range.max = v.last
    cycle.max = v.last
    uav.max = v.uavs
    range.style.setProperty("--flown", `${v.last ? 100 * Math.min(1, v.flown / v.last) : 100}%`)
    if (pending === null && v.move >= moves) { range.value = v.cycle; tell(v.cycle) }
    play.textContent = v.playing ? "❚❚" : "▶"
    play.setAttribute("aria-label", v.playing ? "Pause" : "Play")
    play.title = v.playing ? "Pause" : "Play: fly on from this cycle with the sliders as they are"
    back.disabled = v.cycle <= 0
    on.disabled = v.cycle >= v.last
    if (speed.options.length !== v.speeds.length) { speed.replaceChildren(...v.speeds.map((s) => new Option(`${s} cycles/s`, s))) }
    if (policy.options.length !== v.policies.length) { policy.replaceChildren(...v.policies.map((p) => new Option(p, p))) }
    speed.value = v.speed
    policy.value = v.policy
    for (const [box, value] of [[seed, v.seed], [uav, v.uav]]) {
      if (v.refused || box !== box.getRootNode().activeElement || Number(box.value) !== value) { box.value = value }
    }
    uav.classList.toggle("ours", v.ours)
    pick.disabled = v.ours
    hold.checked = v.hold
    again.disabled = v.again === ""
    again.title = v.again === "" ? "The sliders are as flown" : v.again
    const asks = v.question !== "" && v.doing === ""
    third.hidden = v.question === "" && v.doing === ""
    heavy.textContent = v.doing || v.question
    start.hidden = !asks
    cancel.hidden = asks
    start.title = start.ariaLabel = `Start: ${v.question}`
    cancel.title = cancel.ariaLabel = `Cancel: ${v.doing}`
    says.textContent = says.title = v.refused || v.status
    says.classList.toggle("refused", v.refused !== "")
    marks.replaceChildren(...v.marks.map(([k, words]) => {
      const mark = button("", words, "mark")
      mark.style.setProperty("--place", v.last ? k / v.last : 0)
      mark.dataset.mark = k
      mark.addEventListener("click", () => go(k))
      return mark
    }))
  }
  show()
  model.on("view", show)
}
