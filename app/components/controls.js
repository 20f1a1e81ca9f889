// One component draws all controls: a native range is light, keyboard usable and needs no library.
function text(tag, content, cls) {
  const node = document.createElement(tag)
  node.textContent = content // textContent only: nothing from outside is ever parsed as HTML
  if (cls) { node.className = cls }
  return node
}

function rangeControl(item, send, flown, refuse) {
  const range = document.createElement("input")
  const number = document.createElement("input")
  range.type = "range"
  number.type = "number"
  for (const input of [range, number]) {
    input.min = item.lo
    input.max = item.hi
    input.step = item.step ?? "any"
    input.setAttribute("aria-label", `${item.symbol}: ${item.help}`)
  }
  range.dataset.control = item.name
  number.dataset.number = item.name
  let inForce = null
  const shown = (v) => String(v).replace("-", "−")
  const onStep = (v) => item.step ? Number((Math.round(v / item.step) * item.step).toFixed(item.digits)) : v
  // A link or a file may name a value between two steps: it is shown with all its digits.
  const written = (v) => onStep(v) === v ? v.toFixed(item.digits) : String(v)
  const show = (given) => {
    // null: the control is at rest and follows the flight
    const value = given ?? flown()
    for (const input of [range, number]) { input.classList.toggle("flown", given === null) }
    if (value === undefined) { number.value = ""; return }
    range.value = value
    inForce = given === null ? value.toFixed(item.digits) : written(value)
    number.classList.toggle("long", inForce.length > 8)
    if (number !== number.getRootNode().activeElement) { number.value = inForce }
    const share = (value - item.lo) / (item.hi - item.lo)
    range.style.setProperty("--share", `${100 * Math.min(Math.max(share, 0), 1)}%`)
  }
  range.addEventListener("input", () => { const v = Number(range.value); show(v); number.value = v.toFixed(item.digits); send(v) })
  // What is in force comes back into the box when something else was typed; the steps are those of the slider.
  number.addEventListener("change", () => {
    const v = Number(number.value)
    if (number.value === "") { send(item.default, true); return }
    if (!Number.isFinite(v) || v < item.lo || v > item.hi) {
      refuse(`${item.symbol} goes from ${shown(item.lo)} to ${shown(item.hi)}${item.unit ? ` ${item.unit}` : ""}; ${number.value} was not taken.`)
      number.value = inForce
      return
    }
    number.value = onStep(v).toFixed(item.digits)
    send(onStep(v), true)
  })
  return {nodes: [range], head: number, show}
}

function switchControl(item, send) {
  const box = document.createElement("input")
  box.type = "checkbox"
  box.dataset.control = item.name
  box.setAttribute("aria-label", `${item.symbol}: ${item.help}`)
  box.addEventListener("change", () => send(box.checked))
  return {nodes: [], head: box, show: (value) => { box.checked = value }}
}

function manyControl(item, send) {
  const area = document.createElement("div")
  area.className = "many"
  const boxes = item.choices.map((choice) => {
    const label = document.createElement("label")
    const box = document.createElement("input")
    box.type = "checkbox"
    box.value = choice
    box.dataset.choice = choice
    box.addEventListener("change", () => {
      const picked = boxes.filter((b) => b.checked).map((b) => b.value)
      if (picked.length) { send(picked) } else { box.checked = true }
    })
    label.append(box, text("span", choice))
    area.append(label)
    return box
  })
  return {nodes: [area], show: (value) => { for (const b of boxes) { b.checked = value.includes(b.value) } }}
}

function choiceControl(item, send) {
  const box = document.createElement("select")
  box.dataset.control = item.name
  box.setAttribute("aria-label", `${item.symbol}: ${item.help}`)
  for (const choice of item.choices) { box.append(new Option(choice, choice)) }
  box.addEventListener("change", () => send(box.value))
  return {nodes: [], head: box, show: (value) => { box.value = value }}
}

function listControl(item, send) {
  const field = document.createElement("input")
  field.type = "text"
  field.dataset.control = item.name
  field.setAttribute("aria-label", `${item.symbol}: ${item.help}`)
  field.addEventListener("change", () => send(field.value.split(",").map((s) => Number(s.trim())).filter((v) => Number.isFinite(v))))
  return {nodes: [field], show: (value) => { field.value = value.join(", ") }}
}

const KINDS = {range: rangeControl, switch: switchControl, many: manyControl, choice: choiceControl, list: listControl}

export function render({model, el}) {
  const shows = {}
  const notes = {}
  const resets = {}
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)
  // A single move goes out at once; of a drag, what has piled up every 40 ms.
  const PAUSE_MS = 40
  let pending = null
  let timer = null
  let sent = 0
  const flush = () => {
    timer = null
    sent = performance.now()
    if (pending) { model.values = {...model.values, ...pending}; pending = null }
  }
  const mark = (name, value, item) => { resets[name].style.visibility = same(value, item.default) ? "hidden" : "visible" }

  const rows = []
  const addRow = (item, section, title) => {
    const row = document.createElement("div")
    row.className = "control"
    const refused = text("div", "", "refused")
    refused.setAttribute("role", "alert")
    const send = (value, redraw) => {
      refused.textContent = ""
      pending = {...pending, [item.name]: value}
      mark(item.name, value, item)
      if (redraw) { shows[item.name](value) }
      timer ??= setTimeout(flush, Math.max(0, sent + PAUSE_MS - performance.now()))
    }
    const refuse = (words) => { refused.textContent = words }
    const control = KINDS[item.kind](item, send, () => model.flown[item.name], refuse)
    shows[item.name] = (value) => { control.show(value); mark(item.name, value, item) }
    const head = document.createElement("div")
    head.className = "head"
    const note = text("span", "", "note")
    notes[item.name] = note
    const reset = text("button", "↺", "reset")
    reset.title = `Back to ${item.default === null ? "the flight" : Array.isArray(item.default) ? item.default.join(", ") : item.default}`
    reset.setAttribute("aria-label", `Reset ${item.symbol}`)
    reset.dataset.reset = item.name
    reset.addEventListener("click", () => send(item.default, true))
    resets[item.name] = reset
    head.append(text("span", item.symbol, "symbol"), note, reset)
    if (control.head) { head.append(control.head) }
    head.append(text("span", item.unit, "unit"))
    const help = text("div", item.help, "help")
    help.title = `${item.field}; default ${item.origin === "paper" ? "as printed in the paper" : "chosen by us"}`
    row.append(head, ...control.nodes, refused, help)
    section.append(row)
    rows.push({row, section, words: [item.symbol, item.field, item.help, item.unit, title].join(" ").toLowerCase()})
  }

  const [first, ...more] = model.groups
  const always = document.createElement("div")
  always.className = "always"
  for (const item of first.items) { addRow(item, always, "") }
  const all = document.createElement("details")
  all.className = "all"
  const search = document.createElement("input")
  search.type = "search"
  search.placeholder = "Search: symbol, name, word"
  search.dataset.search = ""
  search.setAttribute("aria-label", "Search all settings by symbol, name or a word of their sentence")
  const found = text("div", "", "found")
  found.setAttribute("role", "status")
  all.append(text("summary", "All settings"), search, found)
  const sections = more.map((group) => {
    const section = document.createElement("details")
    section.append(text("summary", group.title))
    for (const item of group.items) { addRow(item, section, group.title) }
    all.append(section)
    return section
  })
  if (model.about) { el.append(text("p", model.about, "about")) }
  el.append(always)
  if (more.length) { el.append(all) }
  all.addEventListener("toggle", () => { if (all.open) { all.scrollIntoView({block: "start"}) } })
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter((w) => w)
    let hits = 0
    const kept = new Set()
    for (const entry of rows) {
      const hit = words.every((w) => entry.words.includes(w))
      const here = entry.section !== always // what is always in view is not hidden
      if (here) { entry.row.hidden = !hit }
      if (hit && here) { kept.add(entry.section); hits += 1 }
    }
    for (const section of sections) {
      section.hidden = !kept.has(section)
      section.open = words.length > 0 && kept.has(section)
    }
    found.textContent = words.length === 0 ? "" : hits === 1 ? "1 setting" : `${hits} settings`
  })
  const showAll = () => { for (const [name, show] of Object.entries(shows)) { if (!pending || !(name in pending)) { show(model.values[name]) } } }
  const showNotes = () => { for (const [name, node] of Object.entries(notes)) { node.textContent = model.notes[name] ?? "" } }
  showAll()
  showNotes()
  model.on("values", showAll)
  model.on("notes", showNotes)
  model.on("flown", showAll)
}
