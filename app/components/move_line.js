// What the last move changed, and the steps behind it. The browser keeps the steps: each is an entry of its history,
// so Back is undo and Forward redo, a reload stays where it is, and every entry's address is a link to share.
const KEPT = "safe-explorer-last-step"
const kept = () => { try { return Number(window.sessionStorage.getItem(KEPT) ?? 0) } catch { return 0 } } // storage may be forbidden
const keep = (last) => { try { window.sessionStorage.setItem(KEPT, last) } catch { /* then a reload forgets what Redo leads to */ } }

const button = (icon, says) => {
  const made = document.createElement("button")
  made.type = "button"
  made.textContent = icon
  made.title = says
  made.setAttribute("aria-label", says)
  return made
}

const typing = () => {
  let at = document.activeElement
  while (at?.shadowRoot?.activeElement) { at = at.shadowRoot.activeElement }
  return at && (at.isContentEditable || at.tagName === "TEXTAREA" || (at.tagName === "INPUT" && !["range", "checkbox", "radio", "button"].includes(at.type)))
}

export function render({model, el}) {
  const line = document.createElement("div")
  line.className = "line"
  const words = document.createElement("div")
  words.className = "moved"
  words.setAttribute("role", "status")
  const undo = button("↶", "Undo")
  const redo = button("↷", "Redo (Ctrl+Shift+Z, or the browser's Forward)")
  const pin = button("Pin", "Keep this picture, faintly, under whatever comes next")
  const swap = button("⇄", "Go to what is pinned, and pin this")
  const unpin = button("Unpin", "Let go of the pinned picture")
  const dismiss = button("×", "Forget the picture before the move")
  for (const [name, made] of Object.entries({undo, redo, pin, swap, unpin, dismiss})) { made.dataset.step = name }
  const buttons = document.createElement("div")
  buttons.className = "buttons"
  buttons.append(undo, redo, pin, swap, unpin, dismiss)
  line.append(words, buttons)
  el.append(line)
  for (const [made, says] of [[pin, "pin"], [unpin, "unpin"], [swap, "swap"], [dismiss, "dismiss"]]) {
    made.addEventListener("click", () => model.send_msg(says))
  }

  // at: this entry's place among the page's own; last: the last one that Forward leads to
  let seen = model.entry.step
  let at = window.history.state?.step ?? 0
  let last = window.history.state ? Math.max(at, kept()) : 0
  const tell = () => {
    keep(last)
    const says = window.history.state?.says
    undo.disabled = at <= 0
    redo.disabled = at >= last
    undo.title = `Undo${says && at > 0 ? `: ${says}` : ""} (Ctrl+Z, or the browser's Back)`
    undo.setAttribute("aria-label", undo.title)
  }
  const enter = (how, says) => {
    window.history[how]({step: at, says}, "", window.location.pathname + model.entry.query + window.location.hash)
    tell()
  }
  // The server cannot see that a slider which rests for a while is still held: until the next press, it is the same drag.
  let press = 0
  let pushed = -1
  const follow = () => {
    const says = window.history.state?.says ?? ""
    const held = press === pushed && says === model.entry.says
    if (model.entry.step === seen || held) { seen = model.entry.step; enter("replaceState", says); return }
    seen = model.entry.step
    pushed = press
    at += 1
    last = at
    enter("pushState", model.entry.says)
  }
  enter("replaceState", window.history.state?.says ?? "")
  model.on("entry", follow)
  undo.addEventListener("click", () => { if (at > 0) { window.history.back() } })
  redo.addEventListener("click", () => { if (at < last) { window.history.forward() } })
  const going = new AbortController()
  for (const name of ["pointerdown", "keydown"]) { window.addEventListener(name, () => { press += 1 }, {capture: true, signal: going.signal}) }
  window.addEventListener("popstate", (event) => {
    at = event.state?.step ?? 0
    pushed = -1
    tell()
    model.send_msg({go: window.location.search})
  }, {signal: going.signal})
  window.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase()
    if (!(event.ctrlKey || event.metaKey) || event.altKey || (key !== "z" && key !== "y") || typing()) { return }
    event.preventDefault()
    const made = key === "y" || event.shiftKey ? redo : undo
    made.click()
  }, {signal: going.signal})
  model.on("remove", () => going.abort())

  // the last line fades while there is more to scroll to
  const fade = () => words.classList.toggle("more", words.scrollHeight - words.scrollTop > words.clientHeight + 4)
  words.addEventListener("scroll", fade)
  const sized = new ResizeObserver(fade)
  sized.observe(words)
  model.on("remove", () => sized.disconnect())

  const show = () => {
    words.textContent = words.title = model.compares ? model.text || model.still : ""
    line.classList.toggle("rest", !model.text)
    line.classList.toggle("small", !model.compares)
    pin.hidden = !model.compares || model.pinned
    swap.hidden = unpin.hidden = !model.compares || !model.pinned
    dismiss.hidden = !model.compares || model.pinned || !model.text
    words.scrollTop = 0
    fade()
  }
  show()
  for (const name of ["text", "pinned", "compares"]) { model.on(name, show) }
}
