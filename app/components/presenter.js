// One sentence in large type. What else is on the page goes aside by two CSS variables that every component knows:
// --off-stage hides it, --stage is the height that is left for the picture, --type how much larger words are.
const node = (tag, cls, content) => {
  const made = document.createElement(tag)
  if (cls) { made.className = cls }
  if (content !== undefined) { made.textContent = content } // textContent only: a tour may come from outside
  return made
}

const button = (icon, says, go) => {
  const made = node("button", "", icon)
  made.type = "button"
  made.title = says
  made.setAttribute("aria-label", says)
  made.addEventListener("click", go)
  return made
}

const TYPING = "input, select, textarea, [contenteditable], .timeline, canvas.view, dialog"
const NEXT = ["ArrowRight", "PageDown"], BACK = ["ArrowLeft", "PageUp"]

export function render({model, el}) {
  const root = document.documentElement.style
  const bar = node("div", "presenter")
  bar.setAttribute("role", "region")
  bar.setAttribute("aria-label", "Tour")
  const title = node("div", "title"), say = node("div", "say"), look = node("div", "look")
  say.setAttribute("role", "status")
  const go = (by) => {
    const to = model.view.index + by
    if (to >= 0 && to < model.view.steps.length) { model.send_msg({go: to}) }
  }
  const back = button("‹", "Previous step (arrow left, page up)", () => go(-1))
  const next = button("›", "Next step (arrow right, page down)", () => go(1))
  const reset = button("↺", "Reset this step", () => model.send_msg({reset: 0}))
  const full = button("", "Full screen", () => { document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.() })
  full.className = "full"
  const leave = button("✕", "Leave the tour; the page keeps what is shown (Esc)", () => model.send_msg({leave: 0}))
  const dots = node("div", "dots")
  const keys = node("div", "keys")
  keys.append(back, dots, next, reset, full, leave)
  const head = node("div", "head")
  head.append(title, keys)
  bar.append(head, say, look)
  el.append(bar)

  // what is left of the window belongs to the picture; the control stands between the two
  const measure = () => {
    if (model.view.index === undefined) { return }
    const control = model.view.control === "" ? 0 : model.view.control === "cycle" ? 46 : 62
    root.setProperty("--stage", `calc(100vh - ${Math.ceil(bar.offsetHeight) + control + 62}px)`)
  }
  const show = () => {
    const v = model.view, on = v.index !== undefined
    bar.hidden = !on
    if (!on) {
      for (const name of ["--off-stage", "--off-timeline", "--off-controls", "--stage", "--type"]) { root.removeProperty(name) }
      return
    }
    root.setProperty("--off-stage", "none")
    root.setProperty("--type", String(Math.min(Math.max(window.innerWidth / 1400, 1), 1.4)))
    if (v.control === "cycle") { root.removeProperty("--off-timeline") } else { root.setProperty("--off-timeline", "none") }
    title.textContent = `${v.index + 1} / ${v.steps.length}  ${v.title}`
    say.textContent = v.say
    look.textContent = v.look
    look.hidden = !v.look
    back.disabled = v.index === 0
    next.disabled = v.index === v.steps.length - 1
    bar.dataset.step = v.index + 1
    dots.replaceChildren(...v.steps.map((name, i) => {
      const dot = button("", `Step ${i + 1}: ${name}`, () => model.send_msg({go: i}))
      dot.className = i === v.index ? "dot here" : "dot"
      return dot
    }))
    measure()
  }
  const press = (event) => {
    if (model.view.index === undefined || event.altKey || event.ctrlKey || event.metaKey) { return }
    const [at] = event.composedPath()
    const typing = event.composedPath().some((n) => n.matches?.(TYPING))
    const page = event.key.startsWith("Page") // a presenter's remote sends these, wherever the focus is
    if (event.key === "Escape" && !event.composedPath().some((n) => n.tagName === "DIALOG")) {
      at.blur?.()
      model.send_msg({leave: 0})
    } else if ((NEXT.includes(event.key) || BACK.includes(event.key)) && (page || !typing)) {
      event.preventDefault()
      go(NEXT.includes(event.key) ? 1 : -1)
    }
  }
  // A slider moved by mouse gives the arrow keys back to the steps; one reached by keyboard keeps them.
  const release = (event) => {
    if (model.view.index === undefined) { return }
    const [at] = event.composedPath()
    if (at.tagName === "INPUT" && at.type === "range") { at.blur() }
  }
  window.addEventListener("keydown", press, true)
  window.addEventListener("pointerup", release)
  const watch = new ResizeObserver(measure)
  watch.observe(bar)
  show()
  model.on("view", show)
  model.on("remove", () => {
    window.removeEventListener("keydown", press, true)
    window.removeEventListener("pointerup", release)
    watch.disconnect()
  })
}
